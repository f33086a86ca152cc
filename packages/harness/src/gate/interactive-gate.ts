import { accessByKind, accessFingerprint, wholeFingerprint } from './access-by-kind.ts'
import { evaluateRequest } from './evaluate.ts'
import type { Gate } from './gate.ts'
import { checkGateOptions, type InteractiveGateOptions } from './gate-options.ts'
import { issueGrants } from './issue-grants.ts'

/**
 * A gate that asks a person for what configuration and stored rules leave open: one question per call.
 *
 * @throws DefinitionError naming the option at fault, also when two sources answer for one kind.
 */
export function interactiveGate(options: InteractiveGateOptions): Gate {
  checkGateOptions(options)
  const { rules, issuer, timeoutMs, questionTimeoutMs } = options
  const access = accessByKind(options.access)
  const writer = rules?.writer
  const policy = { access, rules: rules?.source }
  return Object.freeze<Gate>({
    headless: false,
    questionTimeoutMs,
    get confinement() {
      return wholeFingerprint(access)
    },
    evaluate: async (request) => {
      const evaluation = await evaluateRequest(request, policy)
      if (evaluation.decision !== 'ask' || timeoutMs === undefined) return evaluation
      return { ...evaluation, timeoutMs }
    },
    fingerprint: (request) => accessFingerprint(request, access),
    ...(writer === undefined ? {} : { saveRules: (candidates) => writer.writeRules(candidates) }),
    issueGrants: (call) => issueGrants(issuer, call),
  })
}
