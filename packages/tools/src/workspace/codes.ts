import { ToolError } from '../contract/errors.ts'

/**
 * Why a workspace tool gave an error result. The contract adds `invalid_arguments`, `permission_denied` and
 * `tool_failed`.
 *
 * - `outside_workspace`: the path leads out of the workspace, or cannot be resolved inside it.
 * - `read_denied`: the read guard denies the path; whether it exists is not told.
 * - `not_found`: no such file or folder.
 * - `symlink_refused`: the last part of the path is a link.
 * - `not_a_file`, `not_a_folder`: something else is at the path.
 * - `unreadable`: the system refused to read it.
 * - `binary_file`, `not_utf8`: the file cannot be shown as text.
 * - `line_out_of_range`: `start_line` is past the end.
 * - `invalid_pattern`: the glob or regular expression is refused; the message says why.
 * - `too_large`, `too_many_files`: more than one search handles.
 * - `timed_out`, `interrupted`: the call ended early.
 * - `changed_since_approval`: the path leads elsewhere than when it was approved.
 */
export type WorkspaceToolCode =
  | 'outside_workspace'
  | 'read_denied'
  | 'not_found'
  | 'symlink_refused'
  | 'not_a_file'
  | 'not_a_folder'
  | 'unreadable'
  | 'binary_file'
  | 'not_utf8'
  | 'line_out_of_range'
  | 'invalid_pattern'
  | 'too_large'
  | 'too_many_files'
  | 'timed_out'
  | 'interrupted'
  | 'changed_since_approval'

/** A `ToolError` whose code is of the set above. The message must hold no host path. */
export function workspaceError(code: WorkspaceToolCode, message: string, cause?: unknown): ToolError {
  return new ToolError(code, message, cause === undefined ? undefined : { cause })
}
