import type { FileAccess, PermissionRule, RuleMatch } from './permission-rule.ts'

/** A rule as the file has it. */
export interface FileRule {
  readonly effect: PermissionRule['effect']
  readonly capability: string
  readonly enforcement_class: string
  readonly match: Readonly<Record<string, unknown>>
}

/** The classes of each capability, as the file names them. */
export const classesOf: Readonly<Record<string, readonly string[]>> = {
  'command.execute': ['command.invoke.v1', 'command.invoke.wildcard.v1', 'command.invoke.shell-segment-glob.v1'],
  network: ['network.target.v1', 'network.broad.v1'],
  'filesystem.read': ['filesystem.path.read.v1', 'filesystem.tree.read.v1', 'filesystem.host.read.v1'],
  'filesystem.write': ['filesystem.path.write.v1', 'filesystem.tree.write.v1', 'filesystem.host.write.v1'],
}

/** Writes a rule in the form of the file. */
export function toFileRule({ effect, match }: PermissionRule): FileRule {
  const [capability, enforcement_class, fields] = fileForm(match)
  return { effect, capability, enforcement_class, match: fields }
}

function fileForm(match: RuleMatch): readonly [string, string, Readonly<Record<string, unknown>>] {
  switch (match.kind) {
    case 'exact':
      return ['command.execute', 'command.invoke.v1', { command: match.command }]
    case 'wildcard':
      return ['command.execute', 'command.invoke.wildcard.v1', {}]
    case 'family':
      return [
        'command.execute',
        'command.invoke.shell-segment-glob.v1',
        { tokens: [...match.tokens], trailing_arguments: true },
      ]
    case 'network':
      return [
        'network',
        'network.target.v1',
        {
          host: match.host,
          ...(match.transport === undefined ? {} : { transport: match.transport }),
          ...(match.port === undefined ? {} : { port: match.port }),
        },
      ]
    case 'network_broad':
      return ['network', 'network.broad.v1', { command: match.command, target: match.target }]
    case 'path':
      return [fileCapability(match.access), `filesystem.path.${match.access}.v1`, { path: match.path }]
    case 'tree':
      return [fileCapability(match.access), `filesystem.tree.${match.access}.v1`, { root: match.root }]
    case 'host':
      return [fileCapability(match.access), `filesystem.host.${match.access}.v1`, { command: match.command }]
  }
}

/** The capability of what is done to files; it is the kind of a requirement too. */
export function fileCapability(access: FileAccess): 'filesystem.read' | 'filesystem.write' {
  return access === 'read' ? 'filesystem.read' : 'filesystem.write'
}
