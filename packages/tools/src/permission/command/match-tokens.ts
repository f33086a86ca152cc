import { literalWord, type Piece, type ShellWord } from './shell-word.ts'

/** Says whether the first words are exactly these tokens, written bare. For rules that allow. */
export function startsWithTokens(words: readonly ShellWord[], tokens: readonly string[]): boolean {
  return tokens.every((token, index) => words[index]?.bare === true && words[index].text === token)
}

/**
 * Says whether the words could begin with these tokens when they run. For rules that deny, so it errs on their side: the
 * first token is the last part of a path, options may stand between the tokens, and what is not known yet can be any
 * text that stands somewhere in the line.
 */
export function couldStartWith(words: readonly ShellWord[], tokens: readonly string[], atoms: Atoms): boolean {
  // Places still to look at: a word, the token wanted there, and whether an option stands before it.
  const open: (readonly [at: number, token: number, option: boolean])[] = []
  const seen = new Set<number>()
  const look = (at: number, token: number, option: boolean): void => {
    const key = (at * (tokens.length + 1) + token) * 2 + (option ? 1 : 0)
    if (seen.has(key)) return
    seen.add(key)
    open.push([at, token, option])
  }
  look(0, 0, false)
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const [at, token, option] = place
    const wanted = tokens[token]
    if (wanted === undefined) return true
    const word = words[at]
    if (word === undefined) continue
    if (couldBe(word, wanted, token === 0, atoms)) look(at + 1, token + 1, false)
    if (word.pieces.some((piece) => piece.kind === 'gap' && piece.splits)) {
      if (word.pieces.every((piece) => piece.kind === 'gap')) look(at + 1, token, option)
      if (atoms.has(wanted, token === 0)) look(at, token + 1, false)
    }
    if (token === 0) continue
    if (word.text === undefined || word.text.startsWith('-') || word.text.startsWith('+')) look(at + 1, token, true)
    if (option) look(at + 1, token, false)
  }
  return false
}

/** The texts that stand in a line: what an expansion in it could come to. */
export class Atoms {
  readonly #words = new Set<string>()
  readonly #names = new Set<string>()
  readonly #joins: boolean
  #all = ''

  /** @param joins values are put together from several texts, as `x+=m` does. */
  constructor(texts: Iterable<string>, joins = false) {
    this.#joins = joins
    for (const text of texts) {
      this.#all += `\n${text.toLowerCase()}`
      for (const word of looseTokens(text)) {
        this.#words.add(word)
        this.#names.add(lastPart(word))
      }
    }
  }

  has(text: string, name: boolean): boolean {
    if (this.#words.has(text) || (name && this.#names.has(text))) return true
    return this.#joins && this.#isJoined(text)
  }

  /** Says whether some text of the line has this one in it, in whatever case. */
  holds(part: string): boolean {
    return this.#all.includes(part.toLowerCase())
  }

  /** Says whether a text is some of the line's words, one after another. */
  #isJoined(text: string): boolean {
    const ends = new Set([0])
    for (let from = 0; from < text.length; from += 1) {
      if (!ends.has(from)) continue
      for (let to = from + 1; to <= text.length; to += 1) if (this.#words.has(text.slice(from, to))) ends.add(to)
    }
    return ends.has(text.length)
  }
}

/** The words of a text in no certain language. */
export function looseTokens(text: string): string[] {
  const split = text.split(/[^\w./+:@%~-]+/)
  // What follows a sign of assignment or of a program's own syntax is a word too, and so is one without its dashes.
  return split.filter((word) => word !== '')
}

/** Says whether a text in no certain language names a command that starts with these tokens. */
export function looselyNames(text: string, tokens: readonly string[]): boolean {
  const words = looseTokens(text).map((word) => literalWord(word))
  return words.some(({ text: word = '' }, index) => {
    return lastPart(word) === tokens[0] && couldStartWith(words.slice(index, index + maxLooseWords), tokens, noAtoms)
  })
}

const maxLooseWords = 64
const noAtoms = new Atoms([])

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function couldBe(word: ShellWord, wanted: string, name: boolean, atoms: Atoms): boolean {
  if (word.text !== undefined) return word.text === wanted || (name && lastPart(word.text) === wanted)
  if (word.pieces.every((piece) => piece.kind === 'gap' && piece.of === 'glob')) return false
  return fill(name ? afterLastSlash(word.pieces) : word.pieces, wanted, name, atoms)
}

/** Pieces of a path without its folders. */
function afterLastSlash(pieces: readonly Piece[]): readonly Piece[] {
  const last = pieces.findLastIndex((piece) => piece.kind === 'text' && piece.text.includes('/'))
  const piece = pieces[last]
  if (piece?.kind !== 'text') return pieces
  return [{ kind: 'text', text: lastPart(piece.text) }, ...pieces.slice(last + 1)]
}

/** Says whether the gaps can be filled so that the pieces come to the wanted text. */
function fill(pieces: readonly Piece[], wanted: string, name: boolean, atoms: Atoms): boolean {
  // How far into the wanted text the pieces up to here can lead.
  let ends = new Set([0])
  for (const piece of pieces) {
    const next = new Set<number>()
    for (const from of ends) {
      if (piece.kind === 'text') {
        if (wanted.startsWith(piece.text, from)) next.add(from + piece.text.length)
        continue
      }
      for (let to = from; to <= wanted.length; to += 1) {
        if (!next.has(to) && couldFill(piece, wanted.slice(from, to), name, atoms)) next.add(to)
      }
    }
    if (next.size === 0) return false
    ends = next
  }
  return ends.has(wanted.length)
}

function couldFill(gap: Extract<Piece, { kind: 'gap' }>, text: string, name: boolean, atoms: Atoms): boolean {
  switch (gap.of) {
    case 'glob':
      return true
    case 'number':
      return /^-?\d*$/.test(text)
    case 'part':
      return atoms.holds(text)
    case 'value':
      return text === '' || atoms.has(text, name)
    default:
      return true
  }
}
