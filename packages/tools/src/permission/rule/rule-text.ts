import { createHash } from 'node:crypto'
import type { Rule } from '../../contract/rule.ts'
import type { PermissionRule, RuleMatch } from './permission-rule.ts'
import { fileCapability, toFileRule } from './rule-class.ts'

/** What a rule covers, in the words that people see. */
export function ruleText(match: RuleMatch): string {
  switch (match.kind) {
    case 'exact':
      return match.command
    case 'wildcard':
      return 'Bash(*)'
    case 'family':
      return `Bash(${match.tokens.join(' ')}:*)`
    case 'network': {
      const host = match.host.includes(':') ? `[${match.host}]` : match.host
      return `${match.transport ?? '*'}://${host}:${match.port === undefined || match.port === 0 ? '*' : match.port}`
    }
    case 'network_broad':
      return `${match.target} for ${match.command}`
    case 'path':
      return match.path
    case 'tree':
      return `tree:${match.root}`
    case 'host':
      return `host:* for ${match.command}`
  }
}

/** The kind of the requirements that a rule is about. */
export function ruleKind(match: RuleMatch): string {
  switch (match.kind) {
    case 'exact':
    case 'wildcard':
    case 'family':
      return 'command.execute'
    case 'network':
    case 'network_broad':
      return 'network'
    case 'path':
    case 'tree':
    case 'host':
      return fileCapability(match.access)
  }
}

/** A rule as a gate and an audit name it. */
export function toRule({ effect, match }: PermissionRule): Rule {
  return { effect, kind: ruleKind(match), match: ruleText(match) }
}

/** Names a rule by what it says: the same rule has the same id in every file. */
export function ruleId(rule: PermissionRule): string {
  return createHash('sha256')
    .update(JSON.stringify(toFileRule(rule)))
    .digest('hex')
    .slice(0, 16)
}
