import { LooprigError } from '@looprig/core'

/**
 * Why a file of rules cannot be used.
 *
 * - `path_invalid`: the path is not absolute.
 * - `malformed`, `version_unsupported`, `rule_invalid`: what it says is not a document of rules; `cause` may be a `RuleError`.
 * - `not_regular`, `symlink`, `owner_unexpected`, `mode_unexpected`, `link_count_unexpected`, `too_large`: someone else could
 *   have written it, or could change it.
 * - `directory_unsafe`: its folder is not a folder of this user, or others may write into it.
 * - `missing`: a store that only reads has no file.
 * - `io`, `lock`: the system refused, or another process kept the lock too long.
 * - `read_only`: the store does not write.
 * - `candidate_invalid`: a candidate is no rule that a prompt may save; nothing of its batch is saved.
 */
export type FileErrorCode =
  | 'path_invalid'
  | 'malformed'
  | 'version_unsupported'
  | 'rule_invalid'
  | 'not_regular'
  | 'symlink'
  | 'owner_unexpected'
  | 'mode_unexpected'
  | 'link_count_unexpected'
  | 'too_large'
  | 'directory_unsafe'
  | 'missing'
  | 'io'
  | 'lock'
  | 'read_only'
  | 'candidate_invalid'

const messages: Record<FileErrorCode, string> = {
  path_invalid: 'the path of the permission file must be absolute, without `.` and `..`',
  malformed: 'the permission file is not a JSON document of rules',
  version_unsupported: 'the permission file has a version that this release does not know',
  rule_invalid: 'the permission file has a rule that is not valid',
  not_regular: 'the permission file is not a regular file',
  symlink: 'the permission file is a symbolic link',
  owner_unexpected: 'the permission file belongs to another user',
  mode_unexpected: 'the permission file must have the mode 0600',
  link_count_unexpected: 'the permission file has more than one name',
  too_large: 'the permission file is too large',
  directory_unsafe: 'the folder of the permission file is not safe: others may write into it',
  missing: 'the permission file is missing',
  io: 'the permission file cannot be read or written',
  lock: 'the permission file is locked by another process',
  read_only: 'this store does not write',
  candidate_invalid: 'a rule to save is not one that may be saved',
}

/** A permission file that cannot be used, or could not be written. While it is so, every call that needs rules is refused. */
export class FileError extends LooprigError {
  override readonly name = 'FileError'
  readonly code: FileErrorCode

  constructor(code: FileErrorCode, options?: ErrorOptions) {
    super(messages[code], options)
    this.code = code
  }
}

/** Why a rule is refused: `field_missing`, `field_foreign`, `field_invalid` or `class_foreign` (to its capability). */
export type RuleErrorCode = 'field_missing' | 'field_foreign' | 'field_invalid' | 'class_foreign'

/** A rule that is not valid. It never repeats what the rule says. */
export class RuleError extends LooprigError {
  override readonly name = 'RuleError'
  readonly code: RuleErrorCode
  /** Which rule, from 0. */
  readonly index: number
  /** The field at fault, for example `match.path`. */
  readonly field: string

  constructor(code: RuleErrorCode, index: number, field: string) {
    super(`rules[${index}].${field}: ${code}`)
    this.code = code
    this.index = index
    this.field = field
  }
}
