import { isUtf8 } from 'node:buffer'

/** Text out of bytes, or undefined when they are none. */
export interface DecodedText {
  readonly text: string
  /** The encoding, as it is named on the web. */
  readonly charset: string
}

/**
 * Decodes a body that may be cut: by its byte order mark, else by what the answer says, else by what an HTML page says in
 * its first kilobyte, else as UTF-8. A page that says nothing and is no UTF-8 is windows-1252, as browsers take it.
 * Bytes with NULs in an encoding that has none are no text.
 */
export function decodeText(bytes: Uint8Array, declared: string | undefined, isHtml: boolean): DecodedText | undefined {
  const named = markedCharset(bytes) ?? known(declared) ?? (isHtml ? known(pageCharset(bytes)) : undefined)
  const charset = named ?? (isHtml && !isUtf8(wholeCharacters(bytes)) ? 'windows-1252' : 'utf-8')
  if (!charset.startsWith('utf-16') && bytes.includes(0)) return undefined
  // `stream`: half a character at a cut is left out
  return { text: new TextDecoder(charset).decode(bytes, { stream: true }), charset }
}

/** Says whether bytes without a type are text: UTF-8 or marked UTF-16, without NULs. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (markedCharset(bytes)?.startsWith('utf-16')) return true
  return !bytes.includes(0) && isUtf8(wholeCharacters(bytes))
}

function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** The name as TextDecoder has it; undefined for one that it does not know. */
function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

function pageCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1')
  const label = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})/i.exec(head)?.[1]
  // a page that could be read this far is not written in two bytes a character
  return label?.toLowerCase().startsWith('utf-16') === true ? 'utf-8' : label
}

/** The bytes without the start of a character at their end. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  const last = bytes.subarray(-3)
  const lead = last.findLastIndex((byte) => byte >= 0xc0)
  return lead === -1
    ? bytes
    : isUtf8(last.subarray(lead))
      ? bytes
      : bytes.subarray(0, bytes.length - last.length + lead)
}
