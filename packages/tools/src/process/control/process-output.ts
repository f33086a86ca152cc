import type { JsonObject } from '@looprig/core'
import { z } from 'zod'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import { type ToolResult, textResult } from '../../contract/result.ts'
import type { Frozen } from '../../contract/tool-spec.ts'
import type { SupervisedProcess } from '../supervisor/supervised-process.ts'
import { type ControlContext, controlSetup, type ProcessControlOptions } from './control-options.ts'
import { jsonResult } from './json-result.ts'
import { maxWaitMs, processIdArgument } from './process-argument.ts'
import { notFoundJson, snapshotJson } from './process-json.ts'
import { defaultLimitBytes, maxLimitBytes } from './read-output.ts'

/** The most processes that one call reads. */
const maxProcesses = 32

const inputSchema = z
  .strictObject({
    process_id: processIdArgument.optional().describe('One process; the answer is one object.'),
    process_ids: z
      .array(processIdArgument)
      .min(1)
      .max(maxProcesses)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a process twice')
      .optional()
      .describe('Several; the answer is {"results":[...]} in this order.'),
    cursor: z.int().min(0).optional().describe('Where to go on: the next_cursor of the last answer. Default 0.'),
    limit_bytes: z
      .int()
      .min(1)
      .max(maxLimitBytes)
      .optional()
      .describe(`How much to show. Default ${defaultLimitBytes}.`),
    encoding: z.enum(['safe_text', 'base64']).optional().describe('Default safe_text; base64 gives the exact bytes.'),
    wait: z
      .enum(['poll', 'any', 'all'])
      .optional()
      .describe('Wait until any, or each, has output past the cursor or has ended. Default poll: do not wait.'),
    timeout_ms: z.int().min(0).max(maxWaitMs).optional().describe('The longest wait. Default 0: no limit.'),
  })
  .refine((input) => (input.process_id === undefined) !== (input.process_ids === undefined), {
    path: ['process_id'],
    message: 'give either process_id or process_ids',
  })

const description =
  'Read what background processes have printed, and how they are. Go on with next_cursor; "gap" tells that older output is not ' +
  'kept any more. Use wait instead of asking again and again.'

interface ApprovedRead {
  readonly ids: readonly string[]
  readonly isSingle: boolean
  readonly cursor: number
  readonly limitBytes: number
  readonly encoding: 'safe_text' | 'base64'
  readonly wait: 'poll' | 'any' | 'all'
  readonly timeoutMs: number
}

/** The tool `ProcessOutput`: reads the processes that this loop started. Needs processes, and no access. */
export function processOutputDefinition(options: ProcessControlOptions = {}): ToolDefinition<readonly ['processes']> {
  return defineTool({
    name: 'ProcessOutput',
    description,
    requires: ['processes'],
    inputSchema,
    replaySafe: true,
    setup: controlSetup('ProcessOutput', options),
    prepare: (input) => {
      const ids = input.process_ids ?? [input.process_id ?? '']
      const artifact: ApprovedRead = {
        ids,
        isSingle: input.process_ids === undefined,
        cursor: input.cursor ?? 0,
        // of all processes together no more than of one
        limitBytes: Math.min(input.limit_bytes ?? defaultLimitBytes, Math.floor(maxLimitBytes / ids.length)),
        encoding: input.encoding ?? 'safe_text',
        wait: input.wait ?? 'poll',
        timeoutMs: input.timeout_ms ?? 0,
      }
      return { summary: 'read the output of processes', requirements: [], artifact }
    },
    run: (approved, context) => run(approved, context),
    auditSummary: ({ ids, wait }) => `ProcessOutput of ${ids.length} (${wait})`,
  })
}

async function run(approved: Frozen<ApprovedRead>, context: ControlContext): Promise<ToolResult> {
  const { deps, sessionId, loopId, signal } = context
  const { ids, wait: kind, cursor, timeoutMs } = approved
  const processes = ids.map((id) => deps.find({ sessionId, loopId }, id))
  const releases = kind === 'poll' ? [] : processes.map((process) => ({ process, release: process?.holdNotice() }))
  const shown = new Set<SupervisedProcess>()
  try {
    const limit = timeoutMs === 0 ? undefined : timeoutMs
    await deps.waitingRoom.wait({ processes, kind, cursor, timeoutMs: limit, signal })
    const results: JsonObject[] = []
    for (const [index, process] of processes.entries()) {
      results.push(process === undefined ? notFoundJson(ids[index] ?? '') : await snapshotJson(process, approved))
      if (process?.isOver === true && !signal.aborted) shown.add(process)
    }
    return approved.isSingle ? jsonResult(results[0] ?? {}) : textResult(JSON.stringify({ results }))
  } finally {
    for (const { process, release } of releases) release?.(process !== undefined && shown.has(process))
  }
}
