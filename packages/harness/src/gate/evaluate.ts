import type { Access, AccessSource, Requirement, ToolRequest } from '@looprig/tools'
import { DefinitionError } from '../error/errors.ts'
import type { Evaluation } from './gate.ts'

/** The access sources of a gate by the kinds that they answer for. */
export type AccessByKind = ReadonlyMap<string, AccessSource>

/**
 * Files the sources by kind.
 *
 * @throws DefinitionError `access` when two sources answer for one kind.
 */
export function accessByKind(sources: readonly AccessSource[]): AccessByKind {
  const byKind = new Map<string, AccessSource>()
  for (const source of sources) {
    for (const kind of source.kinds) {
      if (byKind.has(kind)) throw new DefinitionError('access', `two sources for the kind ${kind}`)
      byKind.set(kind, source)
    }
  }
  return byKind
}

/** Judges a request by configured access alone: any deny ends it, and what is neither allowed nor denied is unmet. */
export function evaluateAccess(request: ToolRequest, access: AccessByKind): Evaluation {
  const unmet: Requirement[] = []
  for (const requirement of request.requirements) {
    const said = accessFor(requirement, access)
    if (said === 'deny') return { decision: 'deny', reason: 'access_denied', requirement }
    if (said === 'error') return { decision: 'deny', reason: 'access_error', requirement }
    if (said === 'ask') unmet.push(requirement)
  }
  return unmet.length === 0 ? { decision: 'allow' } : { decision: 'ask', unmet }
}

/** A missing source, a source that throws and an answer that is none of the three all fail closed. */
function accessFor(requirement: Requirement, access: AccessByKind): Access | 'error' {
  const source = access.get(requirement.kind)
  if (source === undefined) return 'error'
  try {
    const said: unknown = source.accessFor(requirement)
    if (said === 'allow' || said === 'ask' || said === 'deny') return said
    // a source that answers with a promise answers too late; its rejection must not end the process
    if (said instanceof Promise) said.catch(() => undefined)
    return 'error'
  } catch {
    return 'error'
  }
}
