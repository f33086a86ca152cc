import { printable } from '../../files/printable.ts'

/** The most characters of a line that are reported. */
const maxLineLength = 400

/** How many characters before the match are kept, when the line is too long. */
const lead = 100

/** A line without its end, safe to print; a long one is clipped around the match, never inside a character. */
export function clipLine(line: string, matchStart: number): string {
  const text = printable(line.replace(/\r?\n?$/, ''))
  if (text.length <= maxLineLength) return text
  let start = Math.max(0, Math.min(matchStart - lead, text.length - maxLineLength))
  let end = start + maxLineLength
  if (isInsidePair(text, start)) start += 1
  if (isInsidePair(text, end)) end -= 1
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

function isInsidePair(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800
}
