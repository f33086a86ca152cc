import { ToolError } from '../contract/errors.ts'

/**
 * Why something could not be done with a path or a file; part of the closed set of every door that touches files.
 *
 * - `outside_workspace`: the path leads out of the workspace, or cannot be resolved inside it.
 * - `not_found`: no such file or folder.
 * - `symlink_refused`: the last part of the path is a link.
 * - `not_a_file`, `not_a_folder`: something else is at the path.
 * - `unreadable`: the system refused to read it.
 * - `too_large`: more than the caller handles.
 * - `resolution_changed`: the path leads elsewhere than when it was approved or checked.
 * - `file_conflict`: something is already there.
 * - `disk_full`: there is no room, or no quota left.
 * - `unwritable`: the system refused to write.
 */
export type FileErrorCode = (typeof fileErrorCodes)[number]

/** All of `FileErrorCode`. */
export const fileErrorCodes = Object.freeze([
  'outside_workspace',
  'not_found',
  'symlink_refused',
  'not_a_file',
  'not_a_folder',
  'unreadable',
  'too_large',
  'resolution_changed',
  'file_conflict',
  'disk_full',
  'unwritable',
] as const)

/** A `ToolError` whose code is of the set above. The message must hold no host path. */
export function fileError(code: FileErrorCode, message: string, cause?: unknown): ToolError {
  return new ToolError(code, message, cause === undefined ? undefined : { cause })
}
