import { type CommandDecision, decideCommand } from '../../../src/permission/command/decide-command.ts'
import type { Shell } from '../../../src/permission/command/line-reading.ts'
import type { PermissionRule } from '../../../src/permission/rule/permission-rule.ts'
import type { ShellRun } from './shell-run.ts'

const denied = [['rm'], ['git', 'push']]
const allowed = [['show'], ['list'], ['git', 'log'], ['cat']]

const family =
  (effect: 'allow' | 'deny') =>
  (tokens: readonly string[]): PermissionRule => ({
    effect,
    match: { kind: 'family', tokens },
  })
const denials = denied.map(family('deny'))
const policies: Readonly<Record<string, readonly PermissionRule[]>> = {
  'wildcard with denials': [{ effect: 'allow', match: { kind: 'wildcard' } }, ...denials],
  families: allowed.map(family('allow')),
}

/** Says in what a decision was weaker than what the shell did calls for; nothing when it was not. */
export function weaker(line: string, run: ShellRun, shell: Shell, counts?: Record<string, number>): string | undefined {
  for (const [name, rules] of Object.entries(policies)) {
    const { decision } = decideCommand(line, { rules, directory: '/project', shell })
    if (counts !== undefined) counts[decision] = (counts[decision] ?? 0) + 1
    if (name === 'families' ? isTooWeak(decision, run, allowed) : decision !== 'deny' && ranDenied(run)) {
      return `${name}: ${decision}`
    }
    if (name !== 'families' && decision === 'allow' && run.made.length > 0) return `${name}: allow, wrote a file`
  }
  return undefined
}

function isTooWeak(
  decision: CommandDecision['decision'],
  run: ShellRun,
  families: readonly (readonly string[])[],
): boolean {
  if (decision !== 'allow') return false
  const covered = run.ran.every((argv) =>
    families.some((tokens) => tokens.every((token, index) => argv[index] === token)),
  )
  return !covered || run.made.length > 0
}

function ranDenied(run: ShellRun): boolean {
  return run.ran.some((argv) => denied.some((tokens) => startsWith(argv, tokens)))
}

/** The first words of what ran, without the options of git that stand before its command. */
function startsWith(argv: readonly string[], tokens: readonly string[]): boolean {
  const words = [...argv]
  if (words[0] === 'git') while (words[1] === '-C' || words[1] === '-c') words.splice(1, 2)
  return tokens.every((token, index) => words[index] === token)
}
