import { byteLength, data, headWithin } from '@looprig/core'
import { bodySchema } from '../event/body-schema.ts'

/** How a session stands, as its last append left it. `running` in the head of a dead owner means interrupted. */
export type SessionStatus = 'idle' | 'running' | 'waiting' | 'interrupted' | 'failed' | 'stopped'

/** What lists show of a session; written with the append that changes it. */
export interface SessionHead {
  readonly v: number
  readonly workspace: string
  /** From the first input; `''` before there was one. */
  readonly title: string
  readonly status: SessionStatus
}

const headSchema = bodySchema<SessionHead>()({
  v: data.literal(1),
  workspace: data.string(),
  title: data.string(),
  status: data.oneOf(['idle', 'running', 'waiting', 'interrupted', 'failed', 'stopped']),
})

/** Reads a head; `undefined` when it is none of this version. */
export function parseHead(text: string): SessionHead | undefined {
  try {
    return headSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** How much of an input is looked at for a title. */
const maxLookedAtBytes = 8_192
const maxTitleCharacters = 80
const maxTitleBytes = 320

/** What a person sees as one character: an emoji of several parts is one. Made when a title first needs it. */
let characters: Intl.Segmenter | undefined

const plainTitle = new RegExp(`^[\\x20-\\x7e]{0,${maxTitleCharacters}}$`)

/**
 * Makes a title of an input's text: one line without control characters, at most 80 characters and 320 bytes, never a
 * part of a character.
 */
export function titleOf(text: string): string {
  const start = headWithin(text.trimStart(), maxLookedAtBytes)
  // joiners are format characters, but they hold emoji and letters together
  const line = start
    .replace(/(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\s])+/gu, ' ')
    .trim()
    .toWellFormed()
  if (plainTitle.test(line)) return line
  characters ??= new Intl.Segmenter('und', { granularity: 'grapheme' })
  const segments = [...characters.segment(line)]
  if (segments.length <= maxTitleCharacters && byteLength(line) <= maxTitleBytes) return line
  const ends = segments.slice(0, maxTitleCharacters).map(({ index }) => index)
  const cut = ends.findLast((end) => byteLength(line.slice(0, end)) <= maxTitleBytes - 3) ?? 0
  return `${cut > 0 ? line.slice(0, cut) : headWithin(line, maxTitleBytes - 3)}…`
}
