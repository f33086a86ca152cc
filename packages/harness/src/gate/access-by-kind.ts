import { hash } from 'node:crypto'
import { canonicalJson } from '@looprig/core'
import type { Access, AccessSource, Requirement, ToolRequest } from '@looprig/tools'
import { DefinitionError } from '../error/errors.ts'
import { saidAtOnce } from '../error/said-at-once.ts'

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

/** A missing source, a source that throws and an answer that is none of the three all fail closed. */
export function accessFor(requirement: Requirement, access: AccessByKind): Access | 'error' {
  const source = access.get(requirement.kind)
  if (source === undefined) return 'error'
  try {
    const said = saidAtOnce(source.accessFor(requirement))
    return said === 'allow' || said === 'ask' || said === 'deny' ? said : 'error'
  } catch {
    return 'error'
  }
}

/** The confinement of all sources that answer for a request; nothing when none of them names one. */
export function accessFingerprint({ requirements }: ToolRequest, access: AccessByKind): string | undefined {
  return fingerprintOf(new Set(requirements.map((requirement) => requirement.kind)), access)
}

/** The confinement of all sources; nothing when none of them names one. */
export function wholeFingerprint(access: AccessByKind): string | undefined {
  return fingerprintOf(access.keys(), access)
}

function fingerprintOf(kinds: Iterable<string>, access: AccessByKind): string | undefined {
  const named = [...kinds].toSorted().flatMap((kind) => {
    const fingerprint = access.get(kind)?.fingerprint
    return fingerprint === undefined ? [] : [[kind, fingerprint]]
  })
  return named.length === 0 ? undefined : hash('sha256', canonicalJson(named), 'hex')
}
