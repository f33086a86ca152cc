import type { AccessSource } from '@looprig/tools'
import { accessByKind, evaluateAccess } from './evaluate.ts'
import type { Gate } from './gate.ts'

/** What a gate is made of. */
export interface GateOptions {
  /** One source per requirement kind; a kind without one is denied. */
  readonly access: readonly AccessSource[]
}

/**
 * A gate that asks a person for what configuration leaves open: one question per call.
 *
 * @throws DefinitionError when two sources answer for one kind.
 */
export function interactiveGate(options: GateOptions): Gate {
  const access = accessByKind(options.access)
  return { evaluate: async (request) => evaluateAccess(request, access) }
}
