import { isLooprigError } from '@looprig/core'
import type { ToolError } from '../../contract/errors.ts'
import { errorResult, type ToolResult, textResult } from '../../contract/result.ts'
import type { CommandEnd } from '../../contract/runner.ts'
import type { Frozen } from '../../contract/tool-spec.ts'
import { processError } from '../codes.ts'
import { withinPatience } from '../runner/within-patience.ts'
import { HeadAndTail } from '../text/head-and-tail.ts'
import { looksBinary } from '../text/looks-binary.ts'
import type { ApprovedCommand } from './approved-command.ts'
import { ProgressLine } from './progress-line.ts'
import { type BashContext, claimWorkspace, grantsFor } from './run-context.ts'
import { approvedDirectory } from './spawn-directory.ts'

/** How long a runner may take to end a command that is over. */
const patienceMs = 15_000

/** Runs a command to its end while nothing else writes the workspace; what the loop had read counts as unknown then. */
export async function runForeground(approved: Frozen<ApprovedCommand>, context: BashContext): Promise<ToolResult> {
  const { workspace } = context
  const permit = await claimWorkspace(context, (signal) => workspace.coordinator.acquire({ kind: 'whole' }, signal))
  try {
    await approvedDirectory(workspace.root, approved.workdir ?? undefined, approved.directory)
    return await run(approved, context)
  } finally {
    workspace.observations.forgetAll()
    permit.release()
  }
}

async function run(approved: Frozen<ApprovedCommand>, context: BashContext): Promise<ToolResult> {
  const { executionId, signal, deps } = context
  const output = new HeadAndTail()
  const progress = new ProgressLine(context.progress)
  const timeoutMs = approved.timeoutMs ?? 0
  const startedAt = performance.now()
  let isOpen = true
  const running = async () =>
    deps.runner.runCommand({
      command: approved.command,
      directory: approved.directory,
      executionId,
      grants: grantsFor(context),
      signal,
      timeoutMs,
      onOutput: (bytes) => {
        if (!isOpen) return
        output.append(bytes)
        progress.add(bytes)
      },
    })
  try {
    const answer = running().then(soundEnd, (error: unknown) => Promise.reject(runnerError(error)))
    const end = await withinPatience(answer, { overAfterMs: timeoutMs, patienceMs, signal })
    return resultOf(end, output, approved, performance.now() - startedAt)
  } finally {
    isOpen = false
  }
}

function resultOf(
  end: CommandEnd,
  output: HeadAndTail,
  { timeoutMs }: Frozen<ApprovedCommand>,
  ms: number,
): ToolResult {
  const { exitCode, ended, leftovers, isGone } = end
  const shown = show(output)
  const lines = [...notices(end), endLine(end, timeoutMs)]
  const text = `${shown.text}${shown.text === '' || shown.text.endsWith('\n') ? '' : '\n'}${lines.join('\n')}`
  const details = {
    ended,
    exitCode,
    durationMs: Math.round(ms),
    totalBytes: output.totalBytes,
    omittedBytes: shown.omittedBytes,
    leftovers,
    isGone,
  }
  return ended === 'exited' ? textResult(text, { details }) : errorResult(ended, text, { details })
}

function show(output: HeadAndTail): { readonly text: string; readonly omittedBytes: number } {
  if (!looksBinary(output.head)) return output.show()
  return { text: `[binary output: ${output.totalBytes} bytes, not shown]`, omittedBytes: output.totalBytes }
}

function notices({ leftovers, isGone, ended }: CommandEnd): string[] {
  const all: string[] = []
  if (leftovers > 0 && ended === 'exited') {
    all.push(`[what the command left running was ended with it (${leftovers}); use background to keep a process]`)
  }
  if (!isGone) all.push('[a part of the command could not be ended and may still run]')
  return all
}

function endLine({ ended, exitCode, signal }: CommandEnd, timeoutMs: number | null): string {
  if (ended === 'timed_out') return `[timed out after ${(timeoutMs ?? 0) / 1_000} s; the command was ended]`
  if (ended === 'interrupted') return '[interrupted; the command was ended]'
  return exitCode === null ? `[ended by signal ${signal ?? 'unknown'}]` : `[exit code: ${exitCode}]`
}

/** A runner's own words may name folders and programs of the host: only its code is told. */
function runnerError(error: unknown): ToolError {
  const code = isLooprigError(error) ? error.code : undefined
  if (code === 'spawn_failed' || code === 'process_setup_failed') {
    return processError(code, 'the command could not be started; nothing ran', error)
  }
  return processError('runner_failed', 'the runner failed; whether the command ran is not known', error)
}

/**
 * Takes of a runner's answer what it may say.
 *
 * @throws ToolError `runner_failed` when it is no answer.
 */
function soundEnd({ ended, exitCode, signal, leftovers, isGone }: CommandEnd): CommandEnd {
  if (ended !== 'exited' && ended !== 'timed_out' && ended !== 'interrupted') throw runnerError(undefined)
  return {
    ended,
    exitCode: Number.isSafeInteger(exitCode) ? exitCode : null,
    signal: signal !== undefined && /^SIG[A-Z0-9+]{1,16}$/.test(signal) ? signal : undefined,
    leftovers: Number.isSafeInteger(leftovers) ? leftovers : 0,
    isGone: isGone === true,
  }
}
