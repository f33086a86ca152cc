import { isIPv6 } from 'node:net'
import { join, normalize, parse } from 'node:path'
import { headWithin } from '@looprig/core'
import { commandExecute, commandStartGrant, type Requirement } from '../../contract/request.ts'
import { printable } from '../../files/printable.ts'
import { proposeCommandCandidate } from '../../permission/command/propose-candidate.ts'
import type { DeclaredAccess, NetworkItem, PathItem } from './access-argument.ts'
import { networkHost } from './network-host.ts'

/** The most bytes of a command or a path in one line for people; the whole command is in the request. */
const maxShownBytes = 300

/** What cannot be seen, or turns the direction of what follows: it would show another command than the one that runs. */
const misleading = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu

/** All that a command needs, in one request: the command itself first, then what was declared, each once. */
export function commandRequirements(
  command: string,
  directory: string,
  access: DeclaredAccess | undefined,
): readonly Requirement[] {
  const all = [
    commandRequirement(command),
    ...(access?.network ?? []).map((item) => networkRequirement(item, command)),
    ...(access?.read ?? []).map((item) => pathRequirement('read', item, command, directory)),
    ...(access?.write ?? []).map((item) => pathRequirement('write', item, command, directory)),
  ]
  const seen = new Set<string>()
  return all.filter(({ kind, match, grantClass }) => {
    const key = JSON.stringify([kind, match, grantClass])
    return !seen.has(key) && seen.add(key)
  })
}

/** A command as people read it: one bounded line. */
export function shownCommand(command: string): string {
  return shown(command)
}

function commandRequirement(command: string): Requirement {
  const grant = { grantClass: commandStartGrant, grantTarget: command }
  const candidate = proposeCommandCandidate(command)
  const candidates =
    candidate === undefined
      ? []
      : [{ kind: commandExecute, match: candidate, description: `always run ${shown(candidate)}`, ...grant }]
  const description = `execute ${shown(command)}`
  return { kind: commandExecute, scope: '', match: command, description, ...grant, candidates }
}

function networkRequirement({ host, port }: NetworkItem, command: string): Requirement {
  if (host === undefined) {
    const target = `tcp:*:${port}`
    const description = `connect to any host on port ${port}, by this very command`
    return requirement('network', '', JSON.stringify({ command, target }), description, 'network.broad.v1', target)
  }
  const name = networkHost(host)
  const joined = isIPv6(name) ? `[${name}]:${port}` : `${name}:${port}`
  const match = `tcp://${name}:${port}`
  return requirement('network', '', match, `connect to ${joined}`, 'network.proxy-target.v1', `tcp:${joined}`)
}

function pathRequirement(
  axis: 'read' | 'write',
  { scope, path = '' }: PathItem,
  command: string,
  directory: string,
): Requirement {
  const kind = `filesystem.${axis}`
  if (scope === 'host') {
    const description = `${axis} any file of the host, by this very command`
    return requirement(kind, 'host:*', JSON.stringify({ command }), description, `filesystem.host.${axis}.v1`, 'host:*')
  }
  const absolute = cleanPath(path, directory)
  if (scope === 'path') {
    return requirement(kind, absolute, absolute, `${axis} ${shown(absolute)}`, `filesystem.path.${axis}.v1`, absolute)
  }
  const tree = `tree:${absolute}`
  const description = `${axis} files under ${shown(absolute)}`
  return requirement(kind, tree, tree, description, `filesystem.tree.${axis}.v1`, absolute)
}

/** It may lie outside of the workspace: that is what it is declared for. */
function cleanPath(path: string, directory: string): string {
  const clean = normalize(path.startsWith('/') ? path : join(directory, path))
  return clean.length > parse(clean).root.length && clean.endsWith('/') ? clean.slice(0, -1) : clean
}

function requirement(
  kind: string,
  scope: string,
  match: string,
  description: string,
  grantClass: string,
  grantTarget: string,
): Requirement {
  const candidate = { kind, match, description, grantClass, grantTarget }
  return { kind, scope, match, description, grantClass, grantTarget, candidates: [candidate] }
}

function shown(text: string): string {
  const line = printable(text).replace(misleading, '\ufffd')
  const head = headWithin(line, maxShownBytes)
  return head === line ? line : `${head.trimEnd()}…`
}
