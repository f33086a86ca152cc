/** A part of an HTML text: a run of text as it is written, or a tag. Comments and declarations are none. */
export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string }
  /** Nothing, after much that is nothing: whoever reads may pause here. */
  | { readonly kind: 'pause' }

/** Elements whose content is no markup; it is left out, but for the title. */
const rawElements: ReadonlySet<string> = new Set([
  'script',
  'style',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'textarea',
  'plaintext',
  'title',
])

/** After how many characters without a token a pause is made. */
const pauseAfter = 65_536

/** The most attributes of a tag that are kept, and the most characters of a value. */
const maxAttributes = 64
const maxValueLength = 8_192

/** Walks an HTML text from start to end, once. Takes whatever comes, as browsers do; never throws. */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0
  let quietFrom = 0
  while (at < html.length) {
    const tagAt = nextMarkup(html, at)
    if (tagAt > at) yield { kind: 'text', text: html.slice(at, tagAt) }
    if (tagAt === html.length) return
    const { token, end } = readMarkup(html, tagAt)
    if (tagAt > at || token !== undefined) quietFrom = end
    at = end
    if (token !== undefined) yield token
    else if (at - quietFrom > pauseAfter) {
      quietFrom = at
      yield { kind: 'pause' }
    }
    if (token?.kind === 'open' && rawElements.has(token.name)) {
      const close = endOfRaw(html, at, token.name)
      if (token.name === 'title') yield { kind: 'text', text: html.slice(at, close) }
      at = close
    }
  }
}

/** Where the next tag, comment or declaration starts; `<` before anything else is text. */
function nextMarkup(html: string, from: number): number {
  for (let at = html.indexOf('<', from); at !== -1; at = html.indexOf('<', at + 1)) {
    if (isMarkupStart(html.charCodeAt(at + 1))) return at
  }
  return html.length
}

function isMarkupStart(code: number): boolean {
  return isLetter(code) || code === slash || code === bang || code === questionMark
}

function readMarkup(html: string, at: number): { readonly token: HtmlToken | undefined; readonly end: number } {
  const code = html.charCodeAt(at + 1)
  if (html.startsWith('<!--', at)) return { token: undefined, end: after(html, '-->', at + 4) }
  if (isLetter(code)) return readTag(html, at + 1, 'open')
  if (code === slash && isLetter(html.charCodeAt(at + 2))) return readTag(html, at + 2, 'close')
  return { token: undefined, end: after(html, '>', at + 2) }
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found === -1 ? html.length : found + mark.length
}

function readTag(html: string, nameAt: number, kind: 'open' | 'close') {
  let at = nameAt
  while (at < html.length && !isNameEnd(html.charCodeAt(at))) at += 1
  const name = html.slice(nameAt, Math.min(at, nameAt + 64)).toLowerCase()
  const attributes = new Map<string, string>()
  for (;;) {
    while (at < html.length && isSpaceOrSlash(html.charCodeAt(at))) at += 1
    if (at >= html.length) return { token: undefined, end: html.length }
    if (html.charCodeAt(at) === greater) break
    const attribute = readAttribute(html, at)
    at = attribute.end
    if (attributes.size < maxAttributes && !attributes.has(attribute.name)) {
      attributes.set(attribute.name, attribute.value.slice(0, maxValueLength))
    }
  }
  const token: HtmlToken = kind === 'open' ? { kind, name, attributes } : { kind, name }
  return { token, end: at + 1 }
}

function readAttribute(html: string, from: number) {
  let at = from + 1 // also `=`, so that it goes on
  while (at < html.length && !isAttributeNameEnd(html.charCodeAt(at))) at += 1
  const name = html.slice(from, Math.min(at, from + 64)).toLowerCase()
  let next = at
  while (next < html.length && isSpace(html.charCodeAt(next))) next += 1
  if (html.charCodeAt(next) !== equals) return { name, value: '', end: at }
  at = next + 1
  while (at < html.length && isSpace(html.charCodeAt(at))) at += 1
  const quote = html[at]
  if (quote === '"' || quote === "'") {
    const close = html.indexOf(quote, at + 1)
    const end = close === -1 ? html.length : close
    return { name, value: html.slice(at + 1, end), end: Math.min(end + 1, html.length) }
  }
  const start = at
  while (at < html.length && !isSpace(html.charCodeAt(at)) && html.charCodeAt(at) !== greater) at += 1
  return { name, value: html.slice(start, at), end: at }
}

/** Where the content of a raw element ends: at its closing tag, or nowhere. */
function endOfRaw(html: string, from: number, name: string): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  closing.lastIndex = from
  return closing.exec(html)?.index ?? html.length
}

const slash = 47
const bang = 33
const questionMark = 63
const greater = 62
const equals = 61

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

function isSpaceOrSlash(code: number): boolean {
  return isSpace(code) || code === slash
}

function isNameEnd(code: number): boolean {
  return isSpaceOrSlash(code) || code === greater
}

function isAttributeNameEnd(code: number): boolean {
  return isNameEnd(code) || code === equals
}
