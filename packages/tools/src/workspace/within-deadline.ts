import { isLooprigError } from '@looprig/core'
import { workspaceError } from './codes.ts'
import type { ReadToolOptions } from './read-tool.ts'

/** How long one call may take, in milliseconds. */
const timeLimitMs = 30_000

/**
 * Runs work that stops at the call's signal or after 30 seconds, and says which of the two ended it.
 *
 * @throws ToolError `interrupted` or `timed_out`; else what the work throws.
 */
export async function withinDeadline<T>(
  toolName: string,
  signal: AbortSignal,
  options: ReadToolOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = options.deadline?.(timeLimitMs) ?? AbortSignal.timeout(timeLimitMs)
  const either = AbortSignal.any([signal, deadline])
  try {
    either.throwIfAborted()
    return await work(either)
  } catch (error) {
    if (signal.aborted) throw workspaceError('interrupted', `${toolName} was interrupted`, error)
    if (deadline.aborted) throw workspaceError('timed_out', timedOut(toolName, error), error)
    throw error
  }
}

/** The workspace's coordinator says what was waited for, so that the model knows what to wait for or to stop. */
function timedOut(toolName: string, error: unknown): string {
  const reason = isLooprigError(error) && error.code === 'interrupted' ? `: ${error.message}` : ''
  return `${toolName} timed out after ${timeLimitMs / 1_000} s${reason}`
}
