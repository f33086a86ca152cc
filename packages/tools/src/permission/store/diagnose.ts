import type { CommandFamilies } from '../command/propose-candidate.ts'
import type { PermissionRule } from '../rule/permission-rule.ts'

/** Something odd about a rule that is valid. */
export interface RuleDiagnostic {
  /** `allow_family_out_of_catalog`: it allows a family that no prompt would have offered, so that a person wrote it. */
  readonly code: 'allow_family_out_of_catalog'
  /** Which rule of the file, from 0. */
  readonly ruleIndex: number
  readonly message: string
}

/** Looks for what is odd about rules. Denials are never odd. */
export function diagnose(rules: readonly PermissionRule[], families: CommandFamilies): readonly RuleDiagnostic[] {
  const known = new Set(families.map((tokens) => tokens.join(' ')))
  return rules.flatMap(({ effect, match }, ruleIndex) => {
    if (effect !== 'allow' || match.kind !== 'family' || known.has(match.tokens.join(' '))) return []
    const message = 'allows a family of commands that is not in the catalogue'
    return [{ code: 'allow_family_out_of_catalog', ruleIndex, message }]
  })
}
