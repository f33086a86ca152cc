import type { ShellWord } from './shell-word.ts'

/** The shell that will run the line: `bash`, or any POSIX shell, so that only what all of them agree on is certain. */
export type Shell = 'sh' | 'bash'

/** A command that the line could run, as it is written. */
export interface FoundCommand {
  readonly words: readonly ShellWord[]
  /** Its text in the line, for exact rules. */
  readonly text: string
  /** What it gets as its input by here-documents and here-strings, as far as it is known. */
  readonly inputs: readonly string[]
  /** It reads what another command prints. */
  readonly piped: boolean
  /** An assignment stands before its name. */
  readonly assigns: boolean
  /** Where it starts in the text that it was read from. */
  readonly start: number
  /** How many lines stand before it there. */
  readonly line: number
}

/** A file that a redirection opens. */
export interface FoundTarget {
  readonly access: 'read' | 'write'
  readonly word: ShellWord
  /** The shell has changed its folder before, so that a relative path means something else. */
  readonly moved: boolean
}

/** What one text could run, and why it cannot be allowed by rules that cover its commands. */
export interface LineReading {
  readonly commands: readonly FoundCommand[]
  readonly targets: readonly FoundTarget[]
  /** Reasons to ask, in plain words; the first one is told. */
  readonly doubts: readonly string[]
  /** Where the parser saw something wrong, if it did. */
  readonly brokenAt: number | undefined
  /** It was not read to its end, because it is too long or too deep. */
  readonly cut: boolean
  /** Values of aliases that it sets, by where they are set. */
  readonly aliases: readonly {
    readonly name: string
    readonly value: string
    readonly start: number
    readonly line: number
  }[]
  /** Other texts that a shell could take it for: of another dialect, with braces expanded. */
  readonly variants: readonly string[]
  /** Texts that are known and stand anywhere in it. */
  readonly texts: readonly string[]
}
