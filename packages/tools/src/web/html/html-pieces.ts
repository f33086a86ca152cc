import { type HtmlToken, htmlTokens } from './html-token.ts'
import { OpenElements } from './open-elements.ts'

/** A piece of a page: small, well formed, of known elements alone. */
export interface HtmlPiece {
  readonly html: string
  /** It ends inside a list or table, which the next piece goes on with. */
  readonly isCut: boolean
}

/** Where a piece may end between blocks, and where it must end, in characters. */
const softLimit = 4_096
const hardLimit = 8_192
/** The most tokens that one piece is made of. */
const maxTokens = 4_096

/**
 * Cuts a page into pieces that a converter takes in little time, whatever the page is like. Converters of Markdown need
 * time by the square of what they get, and by more for elements that nobody closes; a page of half a megabyte took one
 * 17 s.
 *
 * Scripts, styles, forms and drawings are left out; elements without a meaning in Markdown are opened up; nesting ends
 * at a depth of 32, below which only text remains.
 */
export function* htmlPieces(html: string): Generator<HtmlPiece> {
  const open = new OpenElements()
  let parts: string[] = []
  let length = 0
  let skipped: { readonly name: string; depth: number } | undefined
  let tokens = 0

  const add = (text: string) => {
    if (text !== '') parts.push(text)
    length += text.length
  }
  const cut = (): HtmlPiece => {
    const piece = { html: parts.join('') + open.closing(), isCut: open.isInStructure }
    parts = [open.reopening()]
    length = 0
    tokens = 0
    return piece
  }

  for (const token of htmlTokens(html)) {
    tokens += 1
    // much markup may come to nothing
    if (token.kind === 'pause' || tokens > maxTokens) yield cut()
    if (skipped !== undefined) {
      skipped = stillSkipped(skipped, token)
      continue
    }
    switch (token.kind) {
      case 'pause':
        break
      case 'text':
        for (const part of textParts(token.text)) {
          if (length + part.length > hardLimit && length > 0) yield cut()
          add(part)
        }
        break
      case 'close':
        add(open.close(token.name))
        break
      case 'open':
        if (skippedElements.has(token.name)) {
          skipped = { name: token.name, depth: 1 }
          break
        }
        if (length > hardLimit || (length > softLimit && !open.isInStructure && open.isBlock(token.name))) yield cut()
        add(open.open(token.name, token.attributes))
    }
  }
  yield cut()
}

/** Left out with all that is in them. What has no markup inside is left out by the tokens already. */
const skippedElements: ReadonlySet<string> = new Set([
  'noscript',
  'template',
  'svg',
  'math',
  'object',
  'canvas',
  'audio',
  'video',
  'select',
  'datalist',
  'title',
])

function stillSkipped(skipped: { readonly name: string; depth: number }, token: HtmlToken) {
  if (token.kind === 'open' && token.name === skipped.name) skipped.depth += 1
  if (token.kind === 'close' && token.name === skipped.name) skipped.depth -= 1
  return skipped.depth === 0 ? undefined : skipped
}

/** Text that no piece is too small for; `<` as it is written in markup. */
function* textParts(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = endOfPart(text, at)
    yield text.slice(at, end).replaceAll('<', '&lt;')
    at = end
  }
}

/** Where a part ends: at a line of a listing, else not within a word or a character reference, if that can be. */
function endOfPart(text: string, at: number): number {
  const far = at + softLimit
  if (far >= text.length) return text.length
  const line = text.lastIndexOf('\n', far - 1)
  if (line > at) return line + 1
  const space = text.lastIndexOf(' ', far)
  if (space > at) return space
  return isLowSurrogate(text.charCodeAt(far)) ? far - 1 : far
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
