import type { FoundCommand } from '../line-reading.ts'
import type { ShellWord } from '../shell-word.ts'

/** What a program runs, as far as its arguments tell. */
export interface Runs {
  /** Commands that it may start. */
  readonly commands?: readonly (readonly ShellWord[])[]
  /** Texts that it may hand to a shell. */
  readonly scripts?: readonly string[]
  /** Code of another language, in which a command may be named. */
  readonly code?: readonly string[]
  /** It may run a text that is put together elsewhere in the line. */
  readonly anything?: boolean
  /** Why rules do not cover it, if they do not. */
  readonly doubt?: string
}

/** Says what a command runs beside itself; nothing when it is a program like any other. */
export type Unwrap = (words: readonly ShellWord[], found: FoundCommand) => Runs | undefined

/** The name that a command goes by: the last part of the path of its first word. */
export function programName(words: readonly ShellWord[]): string | undefined {
  const text = words[0]?.text
  return text === undefined ? undefined : text.slice(text.lastIndexOf('/') + 1)
}
