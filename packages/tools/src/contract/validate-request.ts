import { RequestValidationError } from './errors.ts'
import { commandExecute, commandStartGrant, type Requirement, type RuleCandidate, type ToolRequest } from './request.ts'

/**
 * Checks a request before a gate sees it, and again at every durable boundary.
 *
 * @throws RequestValidationError naming the first field at fault; never its value.
 */
export function validateRequest(request: ToolRequest): void {
  checkText(request.toolName, 'toolName')
  checkText(request.summary, 'summary')
  const seen = new Set<string>()
  for (const [index, requirement] of request.requirements.entries()) {
    const field = `requirements[${index}]`
    checkRequirement(requirement, request, field)
    const { kind, scope, match, grantClass, grantTarget } = requirement
    addOnce(seen, [kind, scope, match, grantClass, grantTarget], 'requirement_duplicate', field)
  }
  if (request.requirements.some((requirement) => requirement.grantClass !== undefined)) checkGrantBinding(request)
}

function checkRequirement(requirement: Requirement, request: ToolRequest, field: string): void {
  checkText(requirement.kind, `${field}.kind`)
  checkText(requirement.match, `${field}.match`)
  checkText(requirement.description, `${field}.description`)
  if (requirement.scope !== '') checkText(requirement.scope, `${field}.scope`)
  checkGrantPair(requirement, field)
  if (requirement.kind === commandExecute) checkCommand(requirement, request, field)
  const seen = new Set<string>()
  for (const [index, candidate] of (requirement.candidates ?? []).entries()) {
    checkCandidate(candidate, requirement, `${field}.candidates[${index}]`)
    const { kind, match, grantClass, grantTarget } = candidate
    addOnce(seen, [kind, match, grantClass, grantTarget], 'candidate_duplicate', `${field}.candidates[${index}]`)
  }
}

function checkCandidate(candidate: RuleCandidate, requirement: Requirement, field: string): void {
  checkText(candidate.match, `${field}.match`)
  checkText(candidate.description, `${field}.description`)
  if (candidate.kind !== requirement.kind) throw new RequestValidationError('field_invalid', `${field}.kind`)
  if (candidate.grantClass !== requirement.grantClass || candidate.grantTarget !== requirement.grantTarget) {
    throw new RequestValidationError('field_invalid', `${field}.grant`)
  }
}

function checkGrantPair(requirement: Requirement, field: string): void {
  const { grantClass, grantTarget } = requirement
  if ((grantClass === undefined) !== (grantTarget === undefined)) {
    throw new RequestValidationError('grant_pair_invalid', field)
  }
  if (grantClass !== undefined) checkText(grantClass, `${field}.grant`)
  if (grantTarget !== undefined) checkText(grantTarget, `${field}.grant`)
}

function checkCommand(requirement: Requirement, request: ToolRequest, field: string): void {
  const { scope, match, grantClass, grantTarget } = requirement
  const bound = grantClass === commandStartGrant && grantTarget === match && request.command === match
  if (scope !== '' || !bound) throw new RequestValidationError('command_grant_invalid', field)
}

function checkGrantBinding(request: ToolRequest): void {
  for (const field of ['command', 'workingDirectory'] as const) {
    if (request[field] === undefined) throw new RequestValidationError('grant_binding_missing', field)
  }
  if (!((request.expiresAtMs ?? 0) > 0)) throw new RequestValidationError('grant_binding_missing', 'expiresAtMs')
}

/** Normalised text: not empty, well formed, no white space around it, no NUL. */
function checkText(text: string, field: string): void {
  const normal = text !== '' && text.isWellFormed() && text.trim() === text && !text.includes('\0')
  if (!normal) throw new RequestValidationError('field_invalid', field)
}

function addOnce(
  seen: Set<string>,
  parts: readonly (string | undefined)[],
  code: RequestValidationError['code'],
  field: string,
): void {
  const key = JSON.stringify(parts)
  if (seen.has(key)) throw new RequestValidationError(code, field)
  seen.add(key)
}
