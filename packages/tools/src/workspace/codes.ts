import { ToolError } from '../contract/errors.ts'
import { fileErrorCodes } from '../files/file-error.ts'

/**
 * Why a workspace tool gave an error result. The contract adds `invalid_arguments`, `permission_denied` and
 * `tool_failed`, the workspace's coordinator `workspace_busy`.
 *
 * Of paths and files:
 * - `outside_workspace`: the path leads out of the workspace, or cannot be resolved inside it.
 * - `not_found`: no such file or folder.
 * - `symlink_refused`: the last part of the path is a link.
 * - `not_a_file`, `not_a_folder`: something else is at the path.
 * - `unreadable`: the system refused to read it.
 * - `too_large`: more than the tool handles.
 * - `resolution_changed`: the path leads elsewhere than when it was approved.
 * - `file_conflict`: a file that was to be made is there by now.
 * - `disk_full`: there is no room, or no quota left.
 * - `unwritable`: the system refused to write.
 *
 * Of the tools:
 * - `read_denied`: the read guard denies the path; whether it exists is not told. It may not be written either.
 * - `binary_file`, `not_utf8`: the file cannot be shown, or edited, as text.
 * - `line_out_of_range`: `start_line` is past the end.
 * - `stale_file`: this loop has not read the file as it is now, or it is no longer what the preview showed.
 * - `no_match`: the text to replace is not in the file.
 * - `ambiguous_match`: it is there more than once; the message tells how often.
 * - `no_change`: the edit would leave the file as it is.
 * - `invalid_pattern`: the glob or regular expression is refused; the message says why.
 * - `too_many_files`: more than one search handles.
 * - `timed_out`, `interrupted`: the call ended early.
 */
export type WorkspaceToolCode = (typeof workspaceToolCodes)[number]

/** All of `WorkspaceToolCode`, for interfaces and tests. */
export const workspaceToolCodes = Object.freeze([
  ...fileErrorCodes,
  'read_denied',
  'binary_file',
  'not_utf8',
  'line_out_of_range',
  'stale_file',
  'no_match',
  'ambiguous_match',
  'no_change',
  'invalid_pattern',
  'too_many_files',
  'timed_out',
  'interrupted',
] as const)

/** A `ToolError` whose code is of the set above. The message must hold no host path. */
export function workspaceError(code: WorkspaceToolCode, message: string, cause?: unknown): ToolError {
  return new ToolError(code, message, cause === undefined ? undefined : { cause })
}
