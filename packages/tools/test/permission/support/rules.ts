import { writeFileSync } from 'node:fs'
import {
  type CommandDecision,
  type CommandPolicy,
  decideCommand,
  type PermissionRule,
  type RuleMatch,
  writeDocument,
} from '../../../src/permission.ts'

/** Reads a rule as people write it: `git log` a family, `=npm test` exactly this, `*` any command, `>/logs/` files to write. */
export function rule(effect: 'allow' | 'deny', text: string): PermissionRule {
  return { effect, match: matchOf(text) }
}

function matchOf(text: string): RuleMatch {
  if (text === '*') return { kind: 'wildcard' }
  if (text.startsWith('=')) return { kind: 'exact', command: text.slice(1) }
  if (!/^[<>]/.test(text)) return { kind: 'family', tokens: text.split(' ') }
  const access = text.startsWith('>') ? 'write' : 'read'
  return text.endsWith('/')
    ? { kind: 'tree', access, root: text.slice(1, -1) }
    : { kind: 'path', access, path: text.slice(1) }
}

export function allow(...texts: readonly string[]): PermissionRule[] {
  return texts.map((text) => rule('allow', text))
}

export function deny(...texts: readonly string[]): PermissionRule[] {
  return texts.map((text) => rule('deny', text))
}

/** Decides on a line that starts in `/project`. */
export function decide(
  line: string,
  rules: readonly PermissionRule[],
  options: Partial<CommandPolicy> = {},
): CommandDecision['decision'] {
  return decideCommand(line, { rules, directory: '/project', ...options }).decision
}

/** Writes a permission file as a store would. */
export function writeRules(path: string, rules: readonly PermissionRule[]): void {
  writeFileSync(path, writeDocument(rules), { mode: 0o600 })
}
