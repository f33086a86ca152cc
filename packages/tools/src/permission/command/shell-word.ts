import type { DoubleQuotedChild, Word, WordPart } from 'unbash'

/** A stretch of a word: text that is known, or a gap that the shell fills when it runs. */
export type Piece = { readonly kind: 'text'; readonly text: string } | Gap

/**
 * What the shell fills in.
 *
 * - `value`: the value of something, whole. `part`: a part of a value, or what a command prints.
 * - `glob`: names of files, or the pattern itself. `number`: the result of arithmetic.
 */
export interface Gap {
  readonly kind: 'gap'
  readonly of: 'value' | 'part' | 'glob' | 'number'
  /** It may become no word, or several. */
  readonly splits: boolean
}

/** A word of a command, as far as it is known before it runs. */
export interface ShellWord {
  readonly pieces: readonly Piece[]
  /** The text, when all of it is known. */
  readonly text: string | undefined
  /** Written as it is: no quote, escape, expansion, glob, brace or tilde. */
  readonly bare: boolean
}

/** Makes a word whose text is known. */
export function literalWord(text: string, bare = false): ShellWord {
  return { pieces: [{ kind: 'text', text }], text, bare }
}

/** A word of which nothing is known, for example what `xargs` reads. */
export const unknownWord: ShellWord = {
  pieces: [{ kind: 'gap', of: 'value', splits: true }],
  text: undefined,
  bare: false,
}

/** The known text of a word; what is not known is left out. */
export function knownText(word: ShellWord): string {
  return word.pieces.map((piece) => (piece.kind === 'text' ? piece.text : '\u{fffd}')).join('')
}

/** Reads a word of the tree. Whoever walks the tree looks into its substitutions and says what makes it doubtful. */
export function readWord(word: Word): ShellWord {
  const { parts } = word
  if (parts === undefined) {
    const tilde = word.text.startsWith('~')
    if (!tilde) return literalWord(word.value, word.text === word.value)
    return { pieces: [gap('value', false), { kind: 'text', text: word.value.slice(1) }], text: undefined, bare: false }
  }
  const pieces = parts.flatMap((part, index) => readPart(part, index === 0))
  const known = pieces.every((piece) => piece.kind === 'text')
  return { pieces, text: known ? pieces.map((piece) => piece.text).join('') : undefined, bare: false }
}

function readPart(part: WordPart, first: boolean): readonly Piece[] {
  switch (part.type) {
    case 'Literal':
      if (first && part.text.startsWith('~')) return [gap('value', false), { kind: 'text', text: part.value.slice(1) }]
      return [{ kind: 'text', text: part.value }]
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [{ kind: 'text', text: part.value }]
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map(readQuoted)
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
      return [readExpansion(part, true)]
    case 'ProcessSubstitution':
      return [gap('part', false)]
    case 'Glob':
    case 'ExtendedGlob':
      return [gap('glob', true)]
    default:
      // A brace expansion, and whatever a newer parser calls a part.
      return [gap('part', true)]
  }
}

function readQuoted(part: DoubleQuotedChild): Piece {
  return part.type === 'Literal' ? { kind: 'text', text: part.value } : readExpansion(part, false)
}

function readExpansion(part: Exclude<DoubleQuotedChild, { type: 'Literal' }>, bare: boolean): Gap {
  // "$@" and "${a[@]}" become several words in spite of their quotes.
  const splits = bare || /[@*]/.test(part.text)
  switch (part.type) {
    case 'SimpleExpansion':
      return gap('value', splits)
    case 'ParameterExpansion':
      return gap(part.operation === undefined || part.operation.type === 'Default' ? 'value' : 'part', splits)
    case 'ArithmeticExpansion':
      return gap('number', splits)
    default:
      return gap('part', splits)
  }
}

function gap(of: Gap['of'], splits: boolean): Gap {
  return { kind: 'gap', of, splits }
}
