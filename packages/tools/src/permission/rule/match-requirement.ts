import type { Requirement } from '../../contract/request.ts'
import { coversPath, isWithin } from './match-path.ts'
import type { FileAccess, RuleMatch } from './permission-rule.ts'
import { isCleanPath } from './read-document.ts'

/** The grant classes that one rule of a network target serves beside tools that ask for no grant. */
const proxyTarget = 'network.proxy-target.v1'

/** Says whether a rule that is not about commands covers a requirement. */
export function coversRequirement(match: RuleMatch, requirement: Requirement): boolean {
  switch (match.kind) {
    case 'network':
      return requirement.kind === 'network' && coversTarget(match, requirement)
    case 'network_broad': {
      if (requirement.kind !== 'network' || requirement.grantClass !== 'network.broad.v1') return false
      const bound = readBound(requirement.match, true)
      return bound !== undefined && bound.command === match.command && bound.target === match.target
    }
    case 'host': {
      if (requirement.kind !== `filesystem.${match.access}`) return false
      if (requirement.grantClass !== `filesystem.host.${match.access}.v1`) return false
      return readBound(requirement.match, false)?.command === match.command
    }
    case 'path':
    case 'tree':
      return coversFile(match, match.access, requirement)
    default:
      return false
  }
}

function coversTarget(rule: Extract<RuleMatch, { kind: 'network' }>, requirement: Requirement): boolean {
  if (requirement.grantClass !== undefined && requirement.grantClass !== proxyTarget) return false
  const target = readTarget(requirement.match)
  if (target === undefined || target.host !== rule.host) return false
  if (rule.transport !== undefined && rule.transport !== target.transport) return false
  return rule.port === undefined || rule.port === target.port
}

/** Reads `tcp://host:port`; the port stands after the last colon. An address of IPv6 may have brackets or not. */
export function readTarget(
  match: string,
): { readonly transport: 'tcp' | 'udp'; readonly host: string; readonly port: number } | undefined {
  const parts = /^(tcp|udp):\/\/(.+):(\d{1,5})$/.exec(match)
  if (parts === null) return undefined
  const [, transport, host = '', digits = ''] = parts
  const port = Number(digits)
  if ((transport !== 'tcp' && transport !== 'udp') || port < 1 || port > 65_535) return undefined
  return { transport, host: host.replace(/^\[(.*)\]$/, '$1'), port }
}

/** Reads what binds a requirement to one command: JSON of exactly these fields, in this order. */
export function readBound(
  match: string,
  withTarget: boolean,
): { readonly command: string; readonly target?: string } | undefined {
  let json: unknown
  try {
    json = JSON.parse(match)
  } catch {
    return undefined
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  const { command, target } = json as { command?: unknown; target?: unknown } // proved: any object may be read so
  if (typeof command !== 'string') return undefined
  if (!withTarget) return match === JSON.stringify({ command }) ? { command } : undefined
  if (typeof target !== 'string' || match !== JSON.stringify({ command, target })) return undefined
  return { command, target }
}

function coversFile(
  match: Extract<RuleMatch, { kind: 'path' | 'tree' }>,
  access: FileAccess,
  requirement: Requirement,
): boolean {
  if (requirement.kind !== `filesystem.${access}`) return false
  const { grantClass } = requirement
  const ofPath = grantClass === undefined || grantClass === `filesystem.path.${access}.v1`
  const ofTree = grantClass === undefined || grantClass === `filesystem.tree.${access}.v1`
  if (requirement.match.startsWith('tree:')) {
    const root = requirement.match.slice('tree:'.length)
    return match.kind === 'tree' && ofTree && isCleanPath(root) && isWithin(root, match.root)
  }
  return ofPath && isCleanPath(requirement.match) && coversPath(match, access, requirement.match)
}
