import { ToolError } from '../contract/errors.ts'

/**
 * Why the skill tool gave an error result. The contract adds `invalid_arguments`, `permission_denied` and `tool_failed`.
 *
 * - `skill_not_found`: neither the application nor the workspace has a skill of this name.
 * - `skill_malformed`: its document cannot be read as one; the message says why.
 * - `skill_refused`: what is there is no regular file reached without links, or the read guard denies it.
 */
export type SkillToolCode = 'skill_not_found' | 'skill_malformed' | 'skill_refused'

/** A `ToolError` whose code is of the set above. */
export function skillError(code: SkillToolCode, message: string, cause?: unknown): ToolError {
  return new ToolError(code, message, cause === undefined ? undefined : { cause })
}
