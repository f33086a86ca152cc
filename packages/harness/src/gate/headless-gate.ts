import { accessByKind, accessFingerprint, wholeFingerprint } from './access-by-kind.ts'
import { evaluateRequest } from './evaluate.ts'
import type { Gate } from './gate.ts'
import { checkGateOptions, type GateOptions } from './gate-options.ts'
import { issueGrants } from './issue-grants.ts'

/**
 * A gate where nobody is there to ask: what configuration and stored rules leave open is denied with
 * `approval_required`, and so is, at a restore, what a person was asked before.
 *
 * @throws DefinitionError naming the option at fault, also when two sources answer for one kind.
 */
export function headlessGate(options: GateOptions): Gate {
  checkGateOptions(options)
  const { rules, issuer } = options
  const access = accessByKind(options.access)
  const policy = { access, rules: rules?.source }
  return Object.freeze<Gate>({
    headless: true,
    get confinement() {
      return wholeFingerprint(access)
    },
    evaluate: async (request) => {
      const evaluation = await evaluateRequest(request, policy)
      const [requirement] = evaluation.decision === 'ask' ? evaluation.unmet : []
      if (requirement === undefined) return evaluation
      return { decision: 'deny', reason: 'approval_required', requirement }
    },
    fingerprint: (request) => accessFingerprint(request, access),
    issueGrants: (call) => issueGrants(issuer, call),
  })
}
