import { isAbsolute, posix } from 'node:path'
import { coversPath } from '../rule/match-path.ts'
import type { PermissionRule } from '../rule/permission-rule.ts'
import { CommandSearch } from './command-search.ts'
import type { FoundCommand, FoundTarget, LineReading, Shell } from './line-reading.ts'
import { startsWithTokens } from './match-tokens.ts'
import { readLine } from './read-line.ts'
import type { ShellWord } from './shell-word.ts'
import { trimLine } from './trim-line.ts'
import { unwrap } from './unwrap/unwrap.ts'

/** What rules say of a command line, and why. */
export interface CommandDecision {
  readonly decision: 'allow' | 'ask' | 'deny'
  /** The rule that decided: the one that denies, or the first of those that allow. */
  readonly rule?: PermissionRule
  /** One line for people. */
  readonly why: string
}

/** How a command line is judged. */
export interface CommandPolicy {
  /** All rules; a denial counts before a permission, in whatever order they are. */
  readonly rules: readonly PermissionRule[]
  /** Where the command starts: relative targets of redirections are below it. Absent: they are never covered. */
  readonly directory?: string | undefined
  /** Default: `sh`, any POSIX shell. With `bash`, what only bash knows is certain too. */
  readonly shell?: Shell | undefined
}

/** Longer lines are never allowed by rules that cover their commands; they are still searched for denied ones. */
export const maxAllowedLength = 16_384

/**
 * Decides on a command line without running it. A denial wins: if any command that the line could run is denied, in a
 * branch, a substitution, a wrapper, a text for another shell, it is denied. It is allowed when one exact rule is the whole
 * line, or when everything in it is known, covered by rules, and changes nothing for what follows. Everything else asks.
 */
export function decideCommand(line: string, policy: CommandPolicy): CommandDecision {
  const shell = policy.shell ?? 'sh'
  const command = trimLine(line)
  const denials = policy.rules.filter((rule) => rule.effect === 'deny')
  const denied = findDenial(command, denials, shell, policy.directory)
  if (denied !== undefined) return denied
  const allows = policy.rules.filter((rule) => rule.effect === 'allow')
  const whole = allows.find(({ match }) => match.kind === 'exact' && match.command === command)
  if (whole !== undefined) return { decision: 'allow', rule: whole, why: 'a rule allows exactly this command' }
  return decideParts(command, allows, shell, policy.directory)
}

function findDenial(
  command: string,
  denials: readonly PermissionRule[],
  shell: Shell,
  directory: string | undefined,
): CommandDecision | undefined {
  if (denials.length === 0) return undefined
  const search = new CommandSearch(command, shell)
  for (const rule of denials) {
    const { match } = rule
    if (match.kind === 'wildcard') return { decision: 'deny', rule, why: 'a rule denies every command' }
    if (match.kind === 'exact' && search.couldRunExactly(match.command)) return denial(rule, match.command)
    if (match.kind === 'family' && search.couldRun(match.tokens)) return denial(rule, match.tokens.join(' '))
  }
  for (const target of search.targets) {
    const path = targetPath(target, directory)
    const rule = path === undefined ? undefined : denials.find(({ match }) => coversPath(match, target.access, path))
    if (rule !== undefined) {
      return { decision: 'deny', rule, why: `a redirection would ${target.access} a file that a rule denies` }
    }
  }
  return undefined
}

function denial(rule: PermissionRule, what: string): CommandDecision {
  return { decision: 'deny', rule, why: `it could run a denied command: ${what}` }
}

function decideParts(
  command: string,
  allows: readonly PermissionRule[],
  shell: Shell,
  directory: string | undefined,
): CommandDecision {
  if (command === '') return ask('it runs no command')
  if (command.length > maxAllowedLength) return ask('it is too long to be covered by rules')
  if (!command.isWellFormed()) return ask('it is not well-formed text')
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(command)) return ask('it has a control character')
  if (bidirectional.test(command)) return ask('it has a character that is invisible or looks like another one')
  const reading = readLine(command, shell)
  if (reading.commands.length === 0 && reading.doubts.length === 0) return ask('it runs no command')
  const [doubt] = reading.doubts
  if (doubt !== undefined) return ask(doubt)
  let first: PermissionRule | undefined
  for (const found of reading.commands) {
    const reason = doubtOf(found, reading)
    if (reason !== undefined) return ask(reason)
    const rule = allows.find(({ match }) => covers(match, found))
    if (rule === undefined) return ask(`no rule covers: ${shown(found.words)}`)
    first ??= rule
  }
  for (const target of reading.targets) {
    const rule = coveringRule(target, allows, directory)
    if (rule === undefined) return ask(`no rule covers the file that it would ${target.access} by redirection`)
  }
  if (first === undefined) return ask('it runs no command')
  return { decision: 'allow', rule: first, why: 'rules cover every command in it' }
}

// They turn the order in which text is shown, so that a person reads another line than the shell does.
const bidirectional = /[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{200e}\u{200f}\u{61c}]/u

function ask(why: string): CommandDecision {
  return { decision: 'ask', why }
}

/** Why a command cannot be covered, whatever rules say of its name. */
function doubtOf(found: FoundCommand, reading: LineReading): string | undefined {
  const name = found.words[0]?.text ?? ''
  if (!/^[!-~ ]+$/.test(name)) return 'its name is odd'
  if (found.assigns) return 'it sets a variable that what follows inherits'
  const runs = unwrap(found.words, found).find((each) => each.doubt !== undefined)
  if (runs !== undefined) return runs.doubt
  const moves = reading.commands.some((each) => each.words[0]?.text === 'cd' && each.start < found.start)
  if (moves && name.includes('/') && !isAbsolute(name)) return 'the shell changes its folder before a relative command'
  return undefined
}

function covers(match: PermissionRule['match'], found: FoundCommand): boolean {
  switch (match.kind) {
    case 'wildcard':
      return true
    case 'exact':
      return match.command === found.text
    case 'family':
      return startsWithTokens(found.words, match.tokens)
    default:
      return false
  }
}

function coveringRule(
  target: FoundTarget,
  allows: readonly PermissionRule[],
  directory: string | undefined,
): PermissionRule | undefined {
  const path = targetPath(target, directory)
  if (path === undefined || (target.moved && !isAbsolute(target.word.text ?? ''))) return undefined
  if (/^\/dev\/(tcp|udp)\//.test(path)) return undefined
  return allows.find(({ match }) => coversPath(match, target.access, path))
}

/** Where a redirection leads, by its text alone. */
function targetPath(target: FoundTarget, directory: string | undefined): string | undefined {
  const { text } = target.word
  if (text === undefined || text === '') return undefined
  if (isAbsolute(text)) return posix.normalize(text)
  return directory === undefined ? undefined : posix.normalize(`${directory}/${text}`)
}

function shown(words: readonly ShellWord[]): string {
  const text = words.map((word) => word.text ?? '').join(' ')
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}
