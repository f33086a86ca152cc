import { commandExecute, commandStartGrant, type RuleCandidate } from '../../contract/request.ts'
import { FileError } from '../errors.ts'
import { readBound, readTarget } from './match-requirement.ts'
import type { FileAccess, PermissionRule, RuleMatch } from './permission-rule.ts'
import { checkRule, isCleanPath } from './read-document.ts'

/**
 * The rule that a candidate stands for: what was shown is what is stored. A wildcard over commands never comes this way,
 * and neither does any kind that rules do not know.
 *
 * @throws FileError `candidate_invalid`
 */
export function candidateRule(candidate: RuleCandidate): PermissionRule {
  const match = candidateMatch(candidate)
  if (match === undefined) throw new FileError('candidate_invalid')
  try {
    return checkRule({ effect: 'allow', match }, 0)
  } catch (cause) {
    throw new FileError('candidate_invalid', { cause })
  }
}

function candidateMatch(candidate: RuleCandidate): RuleMatch | undefined {
  switch (candidate.kind) {
    case commandExecute:
      return commandMatch(candidate)
    case 'network':
      return networkMatch(candidate)
    case 'filesystem.read':
      return fileMatch(candidate, 'read')
    case 'filesystem.write':
      return fileMatch(candidate, 'write')
    default:
      return undefined
  }
}

function commandMatch({ match, grantClass, grantTarget }: RuleCandidate): RuleMatch | undefined {
  // A command that is spelled like a rule must not become one.
  if (grantClass !== commandStartGrant || grantTarget === undefined || grantTarget.startsWith('Bash(')) return undefined
  if (!match.startsWith('Bash(')) return match === grantTarget ? { kind: 'exact', command: match } : undefined
  const tokens = /^Bash\((.+):\*\)$/.exec(match)?.[1]?.split(' ')
  return tokens === undefined ? undefined : { kind: 'family', tokens }
}

function networkMatch({ match, grantClass, grantTarget }: RuleCandidate): RuleMatch | undefined {
  if (grantClass === 'network.broad.v1') {
    const bound = readBound(match, true)
    if (bound?.target === undefined || bound.target !== grantTarget) return undefined
    return { kind: 'network_broad', command: bound.command, target: bound.target }
  }
  if (grantClass !== undefined && grantClass !== 'network.proxy-target.v1') return undefined
  const target = readTarget(match)
  return target === undefined ? undefined : { kind: 'network', ...target }
}

function fileMatch({ match, grantClass }: RuleCandidate, access: FileAccess): RuleMatch | undefined {
  if (grantClass === `filesystem.host.${access}.v1`) {
    const bound = readBound(match, false)
    return bound === undefined ? undefined : { kind: 'host', access, command: bound.command }
  }
  if (match.startsWith('tree:')) {
    const fits = grantClass === undefined || grantClass === `filesystem.tree.${access}.v1`
    const root = match.slice('tree:'.length)
    return fits && isCleanPath(root) ? { kind: 'tree', access, root } : undefined
  }
  const fits = grantClass === undefined || grantClass === `filesystem.path.${access}.v1`
  return fits ? { kind: 'path', access, path: match } : undefined
}
