import type { FoundCommand } from '../line-reading.ts'
import type { ShellWord } from '../shell-word.ts'
import { unwrapBuiltin } from './builtins.ts'
import { unwrapGit } from './git.ts'
import { unwrapInterpreter } from './interpreters.ts'
import { unwrapOptions } from './options.ts'
import type { Runs, Unwrap } from './runs.ts'
import { unwrapEvaluation, unwrapShell } from './shells.ts'
import { unwrapWrapper } from './wrappers.ts'

const unwraps: readonly Unwrap[] = [
  unwrapShell,
  unwrapEvaluation,
  unwrapWrapper,
  unwrapInterpreter,
  unwrapGit,
  unwrapOptions,
  unwrapBuiltin,
]

/** Everything that a command runs beside itself. */
export function unwrap(words: readonly ShellWord[], found: FoundCommand): readonly Runs[] {
  return unwraps.flatMap((each) => each(words, found) ?? [])
}
