import { commandExecute, type Requirement } from '../../contract/request.ts'
import { type CommandDecision, decideCommand } from '../command/decide-command.ts'
import type { Shell } from '../command/line-reading.ts'
import { coversRequirement } from '../rule/match-requirement.ts'
import type { PermissionRule } from '../rule/permission-rule.ts'

/** Says what rules make of one requirement. */
export function judge(
  requirement: Requirement,
  rules: readonly PermissionRule[],
  options: { readonly directory?: string | undefined; readonly shell?: Shell | undefined } = {},
): CommandDecision {
  if (requirement.kind === commandExecute) return decideCommand(requirement.match, { rules, ...options })
  const denies = rules.find((rule) => rule.effect === 'deny' && coversDenied(rule, requirement))
  if (denies !== undefined) return { decision: 'deny', rule: denies, why: 'a rule denies it' }
  const allows = rules.find((rule) => rule.effect === 'allow' && coversRequirement(rule.match, requirement))
  if (allows !== undefined) return { decision: 'allow', rule: allows, why: 'a rule allows it' }
  return { decision: 'ask', why: 'no rule covers it' }
}

/** A rule that denies looks at what is asked for, by whatever class of grant. */
function coversDenied({ match }: PermissionRule, requirement: Requirement): boolean {
  if (coversRequirement(match, requirement)) return true
  if (match.kind !== 'network' && match.kind !== 'path' && match.kind !== 'tree') return false
  const { kind, scope, match: text, description } = requirement
  if (coversRequirement(match, { kind, scope, match: text, description })) return true
  // Asking for a whole tree, or for every file, asks for the denied one too.
  if (match.kind === 'network') return kind === 'network' && requirement.grantClass === 'network.broad.v1'
  if (kind !== `filesystem.${match.access}`) return false
  if (requirement.grantClass === `filesystem.host.${match.access}.v1`) return true
  const root = text.startsWith('tree:') ? text.slice('tree:'.length) : undefined
  const denied = match.kind === 'path' ? match.path : match.root
  return root !== undefined && (root === '/' || denied === root || denied.startsWith(`${root}/`))
}
