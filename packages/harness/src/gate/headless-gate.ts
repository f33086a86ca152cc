import { accessByKind, evaluateAccess } from './evaluate.ts'
import type { Gate } from './gate.ts'
import type { GateOptions } from './interactive-gate.ts'

/**
 * A gate where nobody is there to ask: what configuration leaves open is denied with `approval_required`.
 *
 * @throws DefinitionError when two sources answer for one kind.
 */
export function headlessGate(options: GateOptions): Gate {
  const access = accessByKind(options.access)
  return {
    evaluate: async (request) => {
      const evaluation = evaluateAccess(request, access)
      const [requirement] = evaluation.decision === 'ask' ? evaluation.unmet : []
      if (requirement === undefined) return evaluation
      return { decision: 'deny', reason: 'approval_required', requirement }
    },
  }
}
