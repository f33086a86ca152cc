/**
 * How long the UTF-8 sequence at an index is. 0: it is cut off by the end of the bytes and may still become one; -1: it is
 * none.
 */
export function utf8Length(bytes: Uint8Array, index: number): number {
  const lead = bytes[index] ?? 0
  if (lead < 0x80) return 1
  const length = sequenceLength(lead)
  for (let offset = 1; offset < length; offset += 1) {
    const next = bytes[index + offset]
    if (next === undefined) return 0
    if (next < 0x80 || next > 0xbf || (offset === 1 && !isSecondByte(lead, next))) return -1
  }
  return length
}

/** How many bytes at the end belong to a sequence that the end cuts off. */
export function cutOffBytes(bytes: Uint8Array): number {
  const from = Math.max(0, bytes.length - 3)
  for (let index = bytes.length - 1; index >= from; index -= 1) {
    if (utf8Length(bytes, index) === 0) return bytes.length - index
  }
  return 0
}

/** The first index at or after `from` at which a sequence may begin: at most 3 further. */
export function sequenceStart(bytes: Uint8Array, from: number): number {
  let index = from
  while (index < bytes.length && index < from + 3 && ((bytes[index] ?? 0) & 0xc0) === 0x80) index += 1
  return index
}

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2
  if (lead >= 0xe0 && lead <= 0xef) return 3
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : -1
}

/** Keeps out overlong forms, surrogates and what is past the last character. */
function isSecondByte(lead: number, next: number): boolean {
  if (lead === 0xe0) return next >= 0xa0
  if (lead === 0xed) return next <= 0x9f
  if (lead === 0xf0) return next >= 0x90
  return lead !== 0xf4 || next <= 0x8f
}
