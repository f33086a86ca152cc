import { byteLength } from '@looprig/core'
import type { SupervisedProcess } from '../supervisor/supervised-process.ts'
import { looksBinary } from '../text/looks-binary.ts'
import { TerminalText } from '../text/terminal-text.ts'

/** How much a call shows unless it asks for more or less. */
export const defaultLimitBytes = 32_768
/** The most that a call shows, of all its processes together. */
export const maxLimitBytes = 262_144

/** Which part of the output to show, and how. */
export interface ReadOutput {
  readonly cursor: number
  readonly limitBytes: number
  readonly encoding: 'safe_text' | 'base64'
}

/** A part of the output as a model reads it. */
export interface ShownWindow {
  readonly output: string
  /** Where it really begins. */
  readonly startCursor: number
  /** Where to go on: no character and no escape sequence lies across it. */
  readonly nextCursor: number
  readonly totalBytes: number
  /** Something between the asked cursor and the start is not kept any more. */
  readonly isGap: boolean
  /** It is not byte for byte what the process wrote. */
  readonly isNormalized: boolean
  /** It is no text: read it as base64. */
  readonly isBinary: boolean
}

/** @throws ToolError `cursor_ahead` or `spool_corrupt` */
export async function readOutput(process: SupervisedProcess, request: ReadOutput): Promise<ShownWindow> {
  const { cursor, limitBytes, encoding } = request
  const { bytes, start, isGap } = await process.read(cursor, limitBytes)
  const { totalBytes } = process
  const common = { startCursor: start, totalBytes, isGap }
  const all = { ...common, nextCursor: start + bytes.length, isNormalized: false, isBinary: false }
  if (encoding === 'base64') return { ...all, output: bytes.toString('base64') }
  if (looksBinary(bytes)) return { ...all, output: '', isBinary: true }
  const hasMore = start + bytes.length < totalBytes
  const { text, used, isNormalized } = cleanWindow(bytes, limitBytes, { hasMore, isOpen: !process.isOver })
  return { ...common, output: text, nextCursor: start + used, isNormalized, isBinary: false }
}

interface CleanWindow {
  readonly text: string
  readonly used: number
  readonly isNormalized: boolean
}

/** What comes after the window: bytes that are there, or bytes that the process may still write. */
interface Beyond {
  readonly hasMore: boolean
  readonly isOpen: boolean
}

/** Cleans as much of the window as fits and is whole; the rest is for the next one. */
function cleanWindow(bytes: Uint8Array, limitBytes: number, beyond: Beyond): CleanWindow {
  const whole = clean(bytes, beyond)
  if (byteLength(whole.text) <= limitBytes) return whole
  // each byte that is no text becomes three: a third of the window fits, whatever it holds
  const part = bytes.subarray(0, Math.max(1, Math.floor(limitBytes / 3)))
  return clean(part, part.length < bytes.length ? { hasMore: true, isOpen: true } : beyond)
}

function clean(bytes: Uint8Array, { hasMore, isOpen }: Beyond): CleanWindow {
  const cleaner = new TerminalText()
  const text = cleaner.push(bytes)
  const used = bytes.length - cleaner.pendingBytes
  // a window too small for one character is used up all the same: reading must come to an end
  const isCut = hasMore ? used > 0 : isOpen
  if (isCut) return { text, used, isNormalized: cleaner.isChanged }
  const rest = cleaner.end()
  return { text: text + rest, used: bytes.length, isNormalized: cleaner.isChanged }
}
