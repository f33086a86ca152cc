import { isLooprigError } from '@looprig/core'
import { z } from 'zod'
import { defineTool } from '../../contract/define-tool.ts'
import type { ToolDefinition } from '../../contract/definition.ts'
import type { ToolResult } from '../../contract/result.ts'
import type { RunningProcess } from '../../contract/runner.ts'
import type { Frozen } from '../../contract/tool-spec.ts'
import { codeResult, type ProcessToolCode, processError } from '../codes.ts'
import { settlesWithin } from '../group/pause.ts'
import { type ControlContext, controlSetup, type ProcessControlOptions } from './control-options.ts'
import { jsonResult } from './json-result.ts'
import { maxWaitMs, processIdArgument } from './process-argument.ts'
import { notFoundJson, snapshotJson } from './process-json.ts'
import { defaultLimitBytes } from './read-output.ts'

/** The longest text of one call, in characters; what may be pending is a setting, in bytes. */
const maxDataLength = 1_048_576

/** How long the process may take to read what it is sent, in milliseconds. */
const writeMs = 500

const size = z.int().min(1).max(65_535)

const inputSchema = z
  .strictObject({
    process_id: processIdArgument,
    data: z.string().max(maxDataLength).optional().describe('What to write; end a line with a line end.'),
    eof: z.boolean().optional().describe('Then end the input; in a terminal, type its end.'),
    rows: size.optional().describe('With cols: the new size of the terminal, set first.'),
    cols: size.optional(),
    cursor: z.int().min(0).optional().describe('Show the output from here. Default: what comes after this call.'),
    yield_time_ms: z.int().min(0).max(maxWaitMs).optional().describe('Wait so long for output. Default 0.'),
  })
  .refine(({ rows, cols }) => (rows === undefined) === (cols === undefined), {
    path: ['rows'],
    message: 'give rows and cols together',
  })
  .refine(({ data, eof, rows }) => data !== undefined || eof === true || rows !== undefined, {
    path: ['data'],
    message: 'give data, eof, or rows and cols',
  })

const description =
  'Write to a process that was started with yield_time_ms or tty. After input_backpressure the text waits and is read when the ' +
  'process reads: do not send it again.'

interface ApprovedInput {
  readonly id: string
  readonly data: string | null
  readonly eof: boolean
  readonly size: { readonly rows: number; readonly columns: number } | null
  readonly cursor: number | null
  readonly yieldMs: number
}

/** The tool `ProcessInput`: writes to a process that this loop started. Needs processes, and no access. */
export function processInputDefinition(options: ProcessControlOptions = {}): ToolDefinition<readonly ['processes']> {
  return defineTool({
    name: 'ProcessInput',
    description,
    requires: ['processes'],
    inputSchema,
    setup: controlSetup('ProcessInput', options),
    prepare: (input) => {
      const { rows, cols } = input
      const artifact: ApprovedInput = {
        id: input.process_id,
        data: input.data?.toWellFormed() ?? null,
        eof: input.eof === true,
        size: rows === undefined || cols === undefined ? null : { rows, columns: cols },
        cursor: input.cursor ?? null,
        yieldMs: input.yield_time_ms ?? 0,
      }
      return { summary: 'write to a process', requirements: [], artifact }
    },
    run: (approved, context) => run(approved, context),
    auditSummary: () => 'ProcessInput', // what is typed may be a secret
  })
}

async function run(approved: Frozen<ApprovedInput>, context: ControlContext): Promise<ToolResult> {
  const { deps, sessionId, loopId, signal } = context
  const process = deps.find({ sessionId, loopId }, approved.id)
  if (process === undefined) return jsonResult(notFoundJson(approved.id))
  const before = process.totalBytes
  try {
    await process.exclusively(async () => {
      if (process.isOver) throw processError('stdin_closed')
      const { running } = process
      if (running === undefined) throw processError('process_setup_failed')
      await send(approved, running, deps.settings.maxPendingInputBytes)
    })
  } catch (error) {
    return codeResult(inputErrorCode(error))
  }
  const cursor = approved.cursor ?? before
  if (approved.yieldMs > 0) {
    await deps.waitingRoom.wait({ processes: [process], kind: 'any', cursor, timeoutMs: approved.yieldMs, signal })
  }
  return jsonResult(await snapshotJson(process, { cursor, limitBytes: defaultLimitBytes, encoding: 'safe_text' }))
}

/** The size first, since it can fail without any effect; then the text; then its end. */
async function send(approved: Frozen<ApprovedInput>, running: RunningProcess, maxPending: number): Promise<void> {
  if (approved.size !== null) {
    if (running.resize === undefined) throw processError('pty_unavailable')
    running.resize(approved.size)
  }
  if (approved.data !== null && approved.data !== '') await write(running, Buffer.from(approved.data), maxPending)
  if (approved.eof) await taken(running.endInput())
}

async function write(running: RunningProcess, bytes: Buffer, maxPending: number): Promise<void> {
  if (running.pendingInput + bytes.length > maxPending) throw processError('input_backpressure')
  await taken(running.write(bytes))
}

/** What is not taken in time stays on its way: the process gets it when it reads. */
async function taken(written: Promise<void>): Promise<void> {
  if (!(await settlesWithin(written, writeMs))) throw processError('input_backpressure')
  await written.catch((cause: unknown) => {
    throw processError('stdin_closed', undefined, cause)
  })
}

const told: readonly ProcessToolCode[] = [
  'stdin_closed',
  'process_setup_failed',
  'pty_unavailable',
  'input_backpressure',
]

function inputErrorCode(error: unknown): ProcessToolCode {
  const code = isLooprigError(error) ? told.find((one) => one === error.code) : undefined
  return code ?? 'stdin_closed'
}
