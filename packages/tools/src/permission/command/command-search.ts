import type { FoundCommand, FoundTarget, LineReading, Shell } from './line-reading.ts'
import { Atoms, couldStartWith, looselyNames } from './match-tokens.ts'
import { readLine } from './read-line.ts'
import { knownText, type ShellWord } from './shell-word.ts'
import { trimLine } from './trim-line.ts'
import { maxStarts } from './unwrap/operands.ts'
import { unwrap } from './unwrap/unwrap.ts'

const maxDepth = 12
// What one search may cost; beyond it the line is searched as plain text.
const maxTexts = 80
const maxCharacters = 120_000
const maxWords = 60_000
const maxKnown = 2_048

/**
 * Everything that a line could run, for rules that deny: the commands of its text and of what else a shell could take it
 * for, what wrappers start, texts for other shells. What cannot be followed to the end is searched as plain text.
 */
export class CommandSearch {
  readonly targets: FoundTarget[] = []
  readonly #commands: (readonly ShellWord[])[] = []
  readonly #code: string[] = []
  readonly #texts = new Set<string>()
  readonly #known: string[] = []
  readonly #atoms: Atoms
  readonly #shell: Shell
  readonly #line: string
  /** Some command is put together from what stands anywhere in the line, or the search has reached its bounds. */
  #anything = false
  #characters = 0
  #words = 0

  constructor(line: string, shell: Shell) {
    // A shell drops NUL or stops at it; either way what is left is a command.
    this.#line = line.replaceAll('\0', '')
    this.#shell = shell
    this.#addText(this.#line, 0, shell)
    this.#addEvaluated()
    if (this.#runsWhatItWrites()) this.#anything = true
    // Another separator takes words apart that are one for us.
    if (/\bIFS\b/.test(this.#line)) this.#known.push(this.#line.replace(/[^A-Za-z0-9]+/g, ' '))
    this.#atoms = new Atoms(this.#known, /\+=|=["']?[^\s;|&]*\$/.test(this.#line))
  }

  /** Says whether a command that begins with these tokens could run. */
  couldRun(tokens: readonly string[]): boolean {
    if (this.#commands.some((words) => couldStartWith(words, tokens, this.#atoms))) return true
    if (this.#code.some((text) => looselyNames(text, tokens))) return true
    return this.#anything && (looselyNames(this.#line, tokens) || looselyNames(unquoted(this.#line), tokens))
  }

  /** Says whether the line is, or could run, exactly this command, however its words are quoted. */
  couldRunExactly(command: string): boolean {
    if (trimLine(this.#line) === command) return true
    const wanted = readLine(command, this.#shell)
    const [only] = wanted.commands
    const words = only?.words.map((word) => word.text)
    if (wanted.commands.length !== 1 || words === undefined || words.includes(undefined)) {
      return this.#line.includes(command)
    }
    if (this.#anything && this.#line.includes(command)) return true
    return this.#commands.some(
      (each) => each.length === words.length && each.every((word, index) => word.text === words[index]),
    )
  }

  #addText(text: string, depth: number, shell: Shell): void {
    if (this.#texts.has(text)) return
    this.#texts.add(text)
    this.#characters += text.length
    if (depth > maxDepth || this.#texts.size > maxTexts || (depth > 0 && this.#characters > maxCharacters)) {
      this.#anything = true
      return
    }
    const reading = readLine(text, shell)
    if (reading.cut) this.#anything = true
    this.#known.push(text, unquoted(text))
    // Long words are in the text itself; what an escape in them comes to is not worth their cost.
    for (const known of reading.texts) if (known.length <= maxKnown) this.#known.push(known)
    for (const target of reading.targets) this.targets.push(target)
    for (const found of this.#thatRun(reading, text, depth, shell)) this.#addCommand(found.words, found, depth)
    this.#addAliases(reading, depth)
    for (const variant of reading.variants) this.#addText(variant, depth + 1, shell)
  }

  /** A file that the line writes may be what it runs next. */
  #runsWhatItWrites(): boolean {
    const written = new Set(this.targets.flatMap(({ access, word }) => (access === 'write' ? (word.text ?? []) : [])))
    const isWritten = (word: ShellWord): boolean =>
      word.text !== undefined && written.has(word.text.replace(/^\.\//, ''))
    return (
      written.size > 0 &&
      this.#commands.some(([name, ...rest]) => {
        if (name === undefined) return false
        return isWritten(name) || (runsFiles.test(name.text ?? '') && rest.some(isWritten))
      })
    )
  }

  /** Texts that are plain where they stand, and run when their value is used as arithmetic or as a prompt. */
  #addEvaluated(): void {
    const prompts = usesPrompts.test(this.#line)
    if (!prompts && !usesArithmetic.test(this.#line)) return
    for (const text of [...this.#known]) {
      if (text !== this.#line && startsScript.test(text) && (prompts || text.includes('['))) {
        this.#addText(`: "${text.replaceAll('"', '')}"`, 1, 'sh')
      }
    }
  }

  /** Commands of a broken text run only on the lines before the one that is broken. */
  #thatRun(reading: LineReading, text: string, depth: number, shell: Shell): readonly FoundCommand[] {
    const { brokenAt } = reading
    if (brokenAt === undefined) return reading.commands
    // The parser may stop where a shell goes on with the next line.
    const next = text.indexOf('\n', brokenAt)
    if (next >= 0 && !isSimple(text)) this.#addText(text.slice(next + 1), depth + 1, shell)
    // What another shell reads well may be broken for the parser only; then everything in it counts.
    if ((shell !== 'bash' && readsDifferently.test(text)) || isDeep(text)) {
      this.#code.push(text)
      return reading.commands
    }
    if (depth > 0 || brokenAt === 0 || !isSimple(text)) return reading.commands
    const prefix = longestWholePrefix(text, shell)
    if (prefix !== '') this.#addText(prefix, depth + 1, shell)
    return []
  }

  #addCommand(words: readonly ShellWord[], found: FoundCommand, depth: number): void {
    this.#commands.push(words)
    this.#words += words.length
    if (depth > maxDepth || (depth > 0 && this.#words > maxWords)) {
      this.#anything = true
      return
    }
    for (const runs of unwrap(words, found)) {
      if (runs.anything || runs.commands?.length === maxStarts) this.#anything = true
      for (const command of runs.commands ?? []) this.#addCommand(command, found, depth + 1)
      for (const script of runs.scripts ?? []) {
        // The inner shell need not be the one that runs the line.
        this.#addText(script, depth + 1, 'sh')
        if (script.includes('\u{fffd}')) this.#anything = true
      }
      for (const code of runs.code ?? []) this.#code.push(code)
    }
  }

  /** An alias counts for what is read after it is set: later lines, and texts that are read when they run. */
  #addAliases(reading: LineReading, depth: number): void {
    if (reading.aliases.length === 0) return
    if (reading.aliases.length > maxStarts) this.#anything = true
    // The dialect of the text does not tell whether bash expands aliases: its option can be set anywhere in the line.
    const expands = this.#shell !== 'bash' || /expand_aliases|\bsh\b|posix/.test(this.#line)
    const later = /\beval\b|\$\(|`/.test(this.#line)
    for (const alias of reading.aliases.slice(0, maxStarts)) {
      if (later) this.#addText(alias.value, depth + 1, 'sh')
      if (!expands) continue
      for (const found of reading.commands) {
        if (found.words[0]?.text !== alias.name || found.start < alias.start) continue
        const rest = found.words.slice(1).map((word) => word.text ?? knownText(word))
        if (found.line > alias.line) this.#addText([alias.value, ...rest].join(' '), depth + 1, 'sh')
      }
    }
  }
}

const runsFiles = /(^|\/)(\w*sh|\.|source)$/
const startsScript = /\$\(|`|\$\{/
const usesPrompts = /@P|\bPS\d|\bPROMPT_COMMAND|\b(BASH_)?ENV\b/
const usesArithmetic =
  /\(\(|\$\[|-(eq|ne|lt|le|gt|ge|v|R)\b|\b(let|read|unset|printf|declare|typeset|export|local|readonly|mapfile|readarray|getopts|wait)\b|\$\{[^}]*[:[]|\[.*\]=/

// What is a syntax error for the parser, and may be none for a shell that knows less words than bash.
const readsDifferently =
  /\[\[|\]\]|\(\(|&>|\$['"[]|[<>]\(|\|&|\bfunction\b|\bselect\b|\bcoproc\b|\btime\b|\(\s*\)\s*[^\s({]|[@!?*+]\(/

/** No quote, expansion or here-document: shells and the parser agree on where the line ends that is broken. */
function isSimple(text: string): boolean {
  return /^[\w\s./;&|(){}<>=:,+-]*$/.test(text) && !/<<|\(\(|[<>]\(/.test(text)
}

function isDeep(text: string): boolean {
  return (text.match(/[({]|\b(if|for|while|until|case)\b/g)?.length ?? 0) > 200
}

function unquoted(text: string): string {
  return text.replace(/["'\\]/g, '')
}

const maxPrefixes = 16

/** The lines of a broken text that a shell would have run before it meets the error. */
function longestWholePrefix(text: string, shell: Shell): string {
  let end = text.lastIndexOf('\n')
  for (let tries = 0; end > 0; end = text.lastIndexOf('\n', end - 1), tries += 1) {
    const prefix = text.slice(0, end)
    // Too many lines to look for the one that breaks: all of them count.
    if (tries === maxPrefixes) return prefix
    if (readLine(prefix, shell).brokenAt === undefined) return prefix
  }
  return ''
}
