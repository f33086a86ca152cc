import { RequestValidationError } from './errors.ts'
import { commandExecute, commandStartGrant, type Requirement, type RuleCandidate, type ToolRequest } from './request.ts'

/**
 * Checks a request before a gate sees it, and again at every durable boundary.
 *
 * @throws RequestValidationError naming the first field at fault; never its value.
 */
export function validateRequest(request: ToolRequest): void {
  checkObject(request, 'request')
  checkText(request.toolName, 'toolName')
  checkText(request.summary, 'summary')
  checkWords(request.command, 'command')
  checkWords(request.workingDirectory, 'workingDirectory')
  checkTime(request.expiresAtMs)
  checkList(request.requirements, 'requirements')
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
  checkObject(requirement, field)
  checkText(requirement.kind, `${field}.kind`)
  checkText(requirement.match, `${field}.match`)
  checkText(requirement.description, `${field}.description`)
  if (requirement.scope !== '') checkText(requirement.scope, `${field}.scope`)
  checkGrantPair(requirement, field)
  if (requirement.kind === commandExecute) checkCommand(requirement, request, field)
  const { candidates = [] } = requirement
  checkList(candidates, `${field}.candidates`)
  const seen = new Set<string>()
  for (const [index, candidate] of candidates.entries()) {
    checkCandidate(candidate, requirement, `${field}.candidates[${index}]`)
    const { kind, match, grantClass, grantTarget } = candidate
    addOnce(seen, [kind, match, grantClass, grantTarget], 'candidate_duplicate', `${field}.candidates[${index}]`)
  }
}

function checkCandidate(candidate: RuleCandidate, requirement: Requirement, field: string): void {
  checkObject(candidate, field)
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
    if (request[field] === undefined || request[field].trim() === '')
      throw new RequestValidationError('grant_binding_missing', field)
  }
  const { expiresAtMs = 0 } = request
  if (!Number.isSafeInteger(expiresAtMs) || expiresAtMs <= 0) {
    throw new RequestValidationError('grant_binding_missing', 'expiresAtMs')
  }
}

/** Normalised text: not empty, well formed, no white space around it, no NUL. */
function checkText(text: unknown, field: string): void {
  if (!isText(text) || text === '' || text.trim() !== text) throw new RequestValidationError('field_invalid', field)
}

/** A command or a folder is taken letter for letter, with the white space around it. */
function checkWords(text: unknown, field: string): void {
  if (text !== undefined && !isText(text)) throw new RequestValidationError('field_invalid', field)
}

function checkTime(ms: unknown): void {
  if (ms !== undefined && typeof ms !== 'number') throw new RequestValidationError('field_invalid', 'expiresAtMs')
}

function checkObject(value: unknown, field: string): void {
  if (typeof value !== 'object' || value === null) throw new RequestValidationError('field_invalid', field)
}

function checkList(list: unknown, field: string): void {
  if (!Array.isArray(list)) throw new RequestValidationError('field_invalid', field)
}

/** A request may come of a tool that was written without types. */
function isText(text: unknown): text is string {
  return typeof text === 'string' && text.isWellFormed() && !text.includes('\0')
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
