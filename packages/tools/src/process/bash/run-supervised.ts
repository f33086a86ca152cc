import { isLooprigError } from '@looprig/core'
import { ToolError } from '../../contract/errors.ts'
import { errorResult, type ToolResult } from '../../contract/result.ts'
import { type PreparedProcess, RunnerError, type TerminalSize } from '../../contract/runner.ts'
import type { Frozen } from '../../contract/tool-spec.ts'
import type { Permit } from '../../contract/workspace-coordinator.ts'
import { codeResult, type ProcessToolCode, processError } from '../codes.ts'
import { withinPatience } from '../runner/within-patience.ts'
import { startError } from '../supervisor/start-error.ts'
import type { Started } from '../supervisor/supervisor.ts'
import { WakeSignal } from '../supervisor/wake-signal.ts'
import type { ApprovedCommand } from './approved-command.ts'
import { type BashContext, claimWorkspace, grantsFor } from './run-context.ts'
import { approvedDirectory } from './spawn-directory.ts'
import { liveResult, terminalResult } from './supervised-result.ts'

/** What a program finds until somebody tells another size. */
const terminalSize: TerminalSize = { rows: 24, columns: 80 }

/** How long a runner may take to make a process ready. */
const prepareMs = 30_000

/** Starts a process that outlives the call, and waits for it as long as the call asked for. */
export async function runSupervised(approved: Frozen<ApprovedCommand>, context: BashContext): Promise<ToolResult> {
  try {
    const { workspace } = context
    await approvedDirectory(workspace.root, approved.workdir ?? undefined, approved.directory)
    const prepared = await prepare(approved, context)
    const permit = await claim(prepared, context)
    const started = await start(approved, context, prepared, permit)
    workspace.observations.forgetAll()
    return approved.background ? await liveResult(started.process) : await attend(started, approved, context)
  } catch (error) {
    return failure(error)
  }
}

async function prepare(approved: Frozen<ApprovedCommand>, context: BashContext): Promise<PreparedProcess> {
  const { deps, executionId, signal } = context
  const { runner } = deps
  if (signal.aborted) throw processError('interrupted')
  const preparing = (async () => {
    if (runner.prepareProcess === undefined) throw new RunnerError('lifetime_enforcement_unavailable')
    return runner.prepareProcess({
      command: approved.command,
      directory: approved.directory,
      executionId,
      grants: grantsFor(context),
      // a job that nobody talks to gets an empty input, so that a prompt ends it instead of hanging
      hasInput: approved.tty || !approved.background,
      ...(approved.tty ? { terminal: terminalSize } : {}),
    })
  })()
  try {
    return await withinPatience(preparing, { overAfterMs: 0, patienceMs: prepareMs, signal })
  } catch (error) {
    preparing.then((late) => late.close()).catch(() => undefined) // it answers after all
    throw startError(error, signal)
  }
}

/** By what the runner says that the process can write, never by what the model says. */
async function claim(prepared: PreparedProcess, context: BashContext): Promise<Permit> {
  const { coordinator } = context.workspace
  try {
    return await claimWorkspace(context, (signal) => coordinator.acquireLifetime(prepared.access, signal))
  } catch (error) {
    await prepared.close().catch(() => undefined)
    const isTold = isLooprigError(error) && (error.code === 'interrupted' || error.code === 'workspace_busy')
    throw isTold ? error : processError('lifetime_enforcement_unavailable', undefined, error)
  }
}

async function start(
  approved: Frozen<ApprovedCommand>,
  context: BashContext,
  prepared: PreparedProcess,
  permit: Permit,
): Promise<Started> {
  const { sessionId, loopId, deps, executionId, signal, workspace } = context
  const canWrite = prepared.access.kind !== 'read_only'
  return deps.supervisor.start({
    owner: { sessionId, loopId },
    executionId,
    command: approved.command,
    directory: approved.directory,
    tty: approved.tty,
    isBackground: approved.background,
    timeoutMs: approved.timeoutMs ?? undefined,
    maxOutputBytes: approved.maxOutputBytes ?? undefined,
    prepared,
    permit,
    onActivity: () => {
      if (canWrite) workspace.observations.forgetAll()
    },
    signal,
  })
}

/** Waits for the end within the call's time; the process goes on when the call does not. */
async function attend(started: Started, approved: Frozen<ApprovedCommand>, context: BashContext): Promise<ToolResult> {
  const { process, releaseNotice } = started
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), approved.yieldMs)
  const either = AbortSignal.any([context.signal, limit.signal])
  let isSeen = false
  try {
    while (!process.isOver && !either.aborted) await WakeSignal.next([process.news], either)
    if (!process.isOver) return await liveResult(process)
    const result = await terminalResult(process)
    isSeen = !context.signal.aborted // what an aborted call answers, nobody may read
    return result
  } finally {
    clearTimeout(timer)
    releaseNotice(isSeen)
  }
}

const plain: readonly ProcessToolCode[] = [
  'lifetime_enforcement_unavailable',
  'process_setup_failed',
  'process_quota_exceeded',
  'supervisor_shutting_down',
  'pty_unavailable',
  'spawn_failed',
]

/** A code where the code says it all; a message where there is more to say. */
function failure(error: unknown): ToolResult {
  if (!(error instanceof ToolError)) return codeResult('process_setup_failed')
  const code = plain.find((one) => one === error.code)
  if (code !== undefined) return codeResult(code)
  return errorResult(error.code, JSON.stringify({ error: error.code, message: error.message }))
}
