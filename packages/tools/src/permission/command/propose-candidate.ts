import { decideCommand } from './decide-command.ts'
import { readLine } from './read-line.ts'
import { trimLine } from './trim-line.ts'
import { unwrap } from './unwrap/unwrap.ts'

/** Families that a person may save with one approval: the first words of a command, whatever follows them. */
export type CommandFamilies = readonly (readonly string[])[]

/** Reads the repository and nothing else. */
export const defaultFamilies: CommandFamilies = [
  ['git', 'log'],
  ['git', 'status'],
  ['git', 'diff'],
  ['git', 'show'],
]

/**
 * The rule that an approval of this command could save: `Bash(git log:*)` for a family of the catalogue that covers it, or
 * the command itself. Nothing for a command that decides what it runs when it runs: a wrapper, an interpreter, a name
 * that is not known yet, a text that cannot be read. Nothing either for a text that looks like a rule itself.
 */
export function proposeCommandCandidate(
  command: string,
  families: CommandFamilies = defaultFamilies,
): string | undefined {
  const line = trimLine(command)
  if (line === '' || line.startsWith('Bash(') || line.length > maxCandidateLength || line.trim() !== line)
    return undefined
  if (/[\u0000-\u001f\u007f]/.test(line) || !line.isWellFormed()) return undefined
  for (const tokens of families) {
    const rule = { effect: 'allow', match: { kind: 'family', tokens } } as const
    if (decideCommand(line, { rules: [rule] }).decision === 'allow') return `Bash(${tokens.join(' ')}:*)`
  }
  const reading = readLine(line, 'sh')
  if (reading.brokenAt !== undefined || reading.commands.length === 0) return undefined
  for (const found of reading.commands) {
    if (found.words[0]?.text === undefined) return undefined
    if (unwrap(found.words, found).some((runs) => runs.doubt !== undefined)) return undefined
  }
  return line
}

const maxCandidateLength = 4_096
