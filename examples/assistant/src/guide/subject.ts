import { looksLikeFile } from './language.ts'

/** A name in code. */
export interface CodeName {
  readonly name: string
  /** What stands before it: `Foo` in `Foo.bar`. */
  readonly qualifier?: string
}

/** What a question is about, as its words show it. */
export interface Subject {
  readonly names: readonly CodeName[]
  readonly paths: readonly string[]
  readonly globs: readonly string[]
  /** Quoted text that is none of those. */
  readonly phrases: readonly string[]
  /** All other words, in order. */
  readonly words: readonly string[]
}

interface Token {
  readonly text: string
  readonly isQuoted: boolean
}

const quoted = /`([^`]+)`|"([^"]+)"|“([^”]+)”|«([^»]+)»|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu
const qualified = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)+$/

/** Reads the subject of a question. */
export function readSubject(question: string): Subject {
  const subject = { names: [] as CodeName[], paths: [] as string[], globs: [] as string[], phrases: [] as string[] }
  const words: string[] = []
  for (const { text, isQuoted } of tokensOf(question)) {
    if (/[*?]/.test(text) && /[./]/.test(text) && !/\s/.test(text)) subject.globs.push(text)
    else if (isPath(text)) subject.paths.push(text.replace(/^\.\//, ''))
    else if (isCodeName(text, isQuoted)) subject.names.push(codeName(text))
    else if (isQuoted) subject.phrases.push(text)
    else words.push(text)
  }
  return { ...subject, words }
}

/** Reads a name in code: `Foo.prototype.bar()` is `bar` of `Foo`. */
export function codeName(text: string): CodeName {
  const parts = text
    .replace(/\(.*$/, '')
    .split(/\.|::|->|#/)
    .filter((part) => part !== '' && part !== 'prototype')
  const name = parts.at(-1) ?? text
  const qualifier = parts.at(-2)
  return qualifier === undefined || qualifier === 'this' || qualifier === 'self' ? { name } : { name, qualifier }
}

function tokensOf(question: string): readonly Token[] {
  const tokens: Token[] = []
  const rest = question.replace(quoted, (...groups: readonly unknown[]) => {
    const text = groups.slice(1, 6).find((group) => typeof group === 'string')
    tokens.push({ text: String(text).trim(), isQuoted: true })
    return ' '
  })
  for (const piece of rest.split(/\s+/)) {
    const text = piece.replace(/^[([{<,;:!¿¡"'`]+|[\])}>,;:!?."'`]+$/g, '')
    const call = /^([^()]+)\(/.exec(piece)
    if (text !== '') tokens.push({ text: call?.[1] === undefined ? text : `${call[1]}()`, isQuoted: false })
  }
  return tokens.filter((token) => token.text !== '')
}

function isPath(text: string): boolean {
  if (/\s|:\/\/|::|\(/.test(text)) return false
  if (/^(?:node|next|vue|three|express)\.js$/i.test(text)) return false
  return looksLikeFile(text) || /^\.{0,2}\/?[\w@.[\]-]+(?:\/[\w@.[\]-]+)*\/?$/.test(text.includes('/') ? text : '')
}

/** The longest name that is searched: a pattern must not become too long. */
const maxName = 100

function isCodeName(text: string, isQuoted: boolean): boolean {
  if (text.length > maxName) return false
  if (/\(\)$/.test(text) || qualified.test(text)) return true
  if (isQuoted) return /^[\w$#@-]+$/.test(text)
  return /^[A-Za-z_$][\w$]*$/.test(text) && /[a-z\d][A-Z]|[$]|^_|[A-Za-z\d]_[A-Za-z\d]|^[A-Z]{2,}[a-z]/.test(text)
}
