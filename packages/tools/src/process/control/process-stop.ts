import { z } from 'zod'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import type { ToolResult } from '../../contract/result.ts'
import type { Frozen } from '../../contract/tool-spec.ts'
import { stopEvent } from '../supervisor/lifecycle-event.ts'
import { type ControlContext, controlSetup, type ProcessControlOptions } from './control-options.ts'
import { jsonResult } from './json-result.ts'
import { processIdArgument } from './process-argument.ts'
import { notFoundJson, stateJson } from './process-json.ts'

/** The longest grace that a call may give, in milliseconds. */
const maxGraceMs = 600_000

const inputSchema = z.strictObject({
  process_id: processIdArgument,
  mode: z
    .enum(['interrupt', 'terminate', 'kill'])
    .describe('interrupt: as Ctrl-C, and never more; terminate: asked to end, killed after the grace; kill: at once.'),
  grace_ms: z
    .int()
    .min(0)
    .max(maxGraceMs)
    .optional()
    .describe('How long it may take to end. 0: no time at all. Default: what the application allows.'),
})

const description =
  'Stop a background process and all that it started. The answer tells its status when it has ended; one that has ended already ' +
  'is left as it is.'

interface ApprovedStop {
  readonly id: string
  readonly mode: 'interrupt' | 'terminate' | 'kill'
  readonly graceMs: number | null
}

/** The tool `ProcessStop`: ends a process that this loop started. Needs processes, and no access. */
export function processStopDefinition(options: ProcessControlOptions = {}): ToolDefinition<readonly ['processes']> {
  return defineTool({
    name: 'ProcessStop',
    description,
    requires: ['processes'],
    inputSchema,
    setup: controlSetup('ProcessStop', options),
    prepare: (input) => {
      const artifact: ApprovedStop = { id: input.process_id, mode: input.mode, graceMs: input.grace_ms ?? null }
      return { summary: `${input.mode} a process`, requirements: [], artifact }
    },
    run: (approved, context) => run(approved, context),
    auditSummary: ({ mode }) => `ProcessStop (${mode})`,
  })
}

async function run(approved: Frozen<ApprovedStop>, context: ControlContext): Promise<ToolResult> {
  const { deps, sessionId, loopId, signal } = context
  const process = deps.find({ sessionId, loopId }, approved.id)
  if (process === undefined) return jsonResult(notFoundJson(approved.id))
  const head = { process_id: process.handle }
  if (process.isOver) return jsonResult({ ...head, ...stateJson(process) })
  const release = process.holdNotice()
  let isSeen = false
  try {
    await deps.publish(stopEvent(process.manifest, approved.mode))
    await process.stop(approved.mode, approved.graceMs ?? deps.settings.graceMs, signal)
    isSeen = process.isOver && !signal.aborted
    // an end that the disk refused is an end all the same, but not one that a restore will know
    return jsonResult({ ...head, ...stateJson(process), ...(process.isUnsaved ? { error: 'teardown_failed' } : {}) })
  } catch {
    return jsonResult({ ...head, ...stateJson(process), error: 'teardown_failed' })
  } finally {
    release(isSeen)
  }
}
