/**
 * The codes that a result, or a refusal to prepare, may have whatever the tool: a tool adds those that it documents, and
 * a runtime those of calls that never got to their tool.
 *
 * - `invalid_arguments`: the arguments are not as the schema says.
 * - `permission_denied`: the call came without its seal, or with the seal of another call.
 * - `interrupted`: the call was aborted before it ran, or while it waited or ran.
 * - `tool_failed`: the tool failed in a way that is not for the model.
 * - `question_invalid`, `unavailable`: a question was not valid, or nobody can be asked.
 * - `workspace_busy`, `invalid_workspace_access`: from the workspace's coordinator.
 */
export const contractCodes = Object.freeze([
  'invalid_arguments',
  'permission_denied',
  'interrupted',
  'tool_failed',
  'question_invalid',
  'unavailable',
  'workspace_busy',
  'invalid_workspace_access',
] as const)

/** One of `contractCodes`. */
export type ContractCode = (typeof contractCodes)[number]
