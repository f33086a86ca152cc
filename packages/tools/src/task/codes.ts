import { ToolError } from '../contract/errors.ts'

/**
 * Why a task tool gave an error result; nothing was changed then. The contract adds `invalid_arguments`,
 * `permission_denied` and `tool_failed`.
 *
 * - `task_not_found`: no task of this loop has the id.
 * - `blocker_not_found`: a task that should come first is none of this loop.
 * - `self_dependency`, `dependency_cycle`: a task would wait for itself.
 * - `blocker_open`: a task in progress would wait for one that is not completed.
 * - `too_many_tasks`, `too_many_blockers`, `tasks_too_large`: more than a loop keeps.
 */
export type TaskToolCode =
  | 'task_not_found'
  | 'blocker_not_found'
  | 'self_dependency'
  | 'dependency_cycle'
  | 'blocker_open'
  | 'too_many_tasks'
  | 'too_many_blockers'
  | 'tasks_too_large'

/** A `ToolError` whose code is of the set above. */
export function taskError(code: TaskToolCode, message: string): ToolError {
  return new ToolError(code, message)
}
