/** The size of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/** The longest start of a text that fits into `maxBytes` of UTF-8, never half of a surrogate pair. */
export function headWithin(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || byteLength(text) <= maxBytes) return text
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += byteLength(character)
    if (bytes > maxBytes) break
    end += character.length
  }
  return text.slice(0, end)
}

/** The longest end of a text that fits into `maxBytes` of UTF-8, never half of a surrogate pair. */
export function tailWithin(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || byteLength(text) <= maxBytes) return text
  let bytes = 0
  let start = text.length
  while (start > 0) {
    const step = isLowSurrogate(text, start - 1) && isHighSurrogate(text, start - 2) ? 2 : 1
    bytes += byteLength(text.slice(start - step, start))
    if (bytes > maxBytes) break
    start -= step
  }
  return text.slice(start)
}

function isHighSurrogate(text: string, index: number): boolean {
  return index >= 0 && (text.charCodeAt(index) & 0xfc00) === 0xd800
}

function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00
}
