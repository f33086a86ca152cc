import { ToolError } from '../contract/errors.ts'
import { errorResult, type ToolResult } from '../contract/result.ts'

/**
 * Why a process tool gave an error result; the contract adds `contractCodes`, of which `interrupted` may also come with what
 * a command had printed, and `workspace_busy` means that something else writes the workspace for too long.
 *
 * - `timed_out`: the command ran out of time and was ended with all that it started; what it printed is in the result.
 * - `spawn_failed`, `process_setup_failed`: nothing was started.
 * - `runner_failed`: the runner broke or did not answer; whether the command ran is not known.
 * - `pty_unavailable`: there are no terminals here, or this process has none.
 * - `lifetime_enforcement_unavailable`: nothing may outlive its call here.
 * - `process_quota_exceeded`: too many processes run.
 * - `supervisor_shutting_down`: the session is being closed.
 * - `not_found`: no process of this loop has that id; or there is no such working directory.
 * - `cursor_ahead`: the cursor is past all output.
 * - `spool_corrupt`: what was kept of the output cannot be trusted.
 * - `stdin_closed`: the process reads no input, or no longer.
 * - `input_backpressure`: the process does not read what it was sent.
 * - `teardown_failed`: a process could not be signalled, did not end when it was killed, or its end could not be kept.
 * - `outside_workspace`, `not_a_folder`, `unreadable`, `resolution_changed`: the working directory cannot be used.
 */
export const processToolCodes = Object.freeze([
  'timed_out',
  'spawn_failed',
  'process_setup_failed',
  'runner_failed',
  'pty_unavailable',
  'lifetime_enforcement_unavailable',
  'process_quota_exceeded',
  'supervisor_shutting_down',
  'not_found',
  'cursor_ahead',
  'spool_corrupt',
  'stdin_closed',
  'input_backpressure',
  'teardown_failed',
  'outside_workspace',
  'not_a_folder',
  'unreadable',
  'resolution_changed',
] as const)

/** One of `processToolCodes`, or one of the contract that these tools give too. */
export type ProcessToolCode = (typeof processToolCodes)[number] | 'interrupted' | 'workspace_busy'

/** A `ToolError` whose code is of the set above. The message must hold no host path and no pid. */
export function processError(code: ProcessToolCode, message: string = code, cause?: unknown): ToolError {
  return new ToolError(code, message, cause === undefined ? undefined : { cause })
}

/** The error result of a tool that answers in JSON: the code and nothing else. */
export function codeResult(code: ProcessToolCode): ToolResult {
  return errorResult(code, JSON.stringify({ error: code }))
}
