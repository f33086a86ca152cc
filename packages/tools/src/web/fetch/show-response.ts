import { STATUS_CODES } from 'node:http'
import { headWithin, type JsonObject, type ToolExecutionId } from '@looprig/core'
import { errorResult, type ToolResult, textResult } from '../../contract/result.ts'
import type { ResponseHead, WebResponse } from '../client/web-client.ts'
import { toMarkdown } from '../html/to-markdown.ts'
import { boundedLine } from '../text/bounded-line.ts'
import { cleanText } from '../text/clean-text.ts'
import { externalContent } from '../text/external-content.ts'
import { decodeText, looksLikeText } from './decode-text.ts'
import { type BodyKind, bodyKind, type MediaType, parseMediaType } from './media-type.ts'

/** The most bytes of a body that are shown. */
const maxShownBytes = 65_536

/** The most bytes of a page that are read to be converted. */
const maxPageBytes = 2_097_152

/** The most headers that are shown, and bytes of one. */
const maxHeaderLines = 16
const maxHeaderBytes = 300

/** What showing a response needs besides it. */
export interface ShowOptions {
  readonly host: string
  readonly executionId: ToolExecutionId
  /** Pages are converted; else they are shown as they were written. */
  readonly convertsPages: boolean
  readonly signal: AbortSignal
}

/** How much of an answer's body is worth reading. */
export function bodyLimitOf(head: ResponseHead, convertsPages: boolean): number {
  switch (bodyKind(mediaTypeOf(head))) {
    case 'binary':
      return 0
    case 'html':
      return convertsPages ? maxPageBytes : maxShownBytes
    case 'text':
    case 'unknown':
      return maxShownBytes
  }
}

/**
 * Shows an answer: its status, up to 16 headers, and its text between marks. What is no text is told by type and size.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function showResponse(response: WebResponse, options: ShowOptions): Promise<ToolResult> {
  const mediaType = mediaTypeOf(response)
  const kind = bodyKind(mediaType)
  const text = await shownText(response, kind, mediaType, options)
  if (text === undefined) return unsupported(response, mediaType)
  const { status } = response
  const content =
    text.shown === '' ? '[the body is empty]' : externalContent(options.host, text.shown, options.executionId)
  const details: JsonObject = {
    status,
    contentType: mediaType.type,
    charset: text.charset,
    isTruncated: text.notice !== '',
  }
  const lines = [
    statusLine(status),
    ...headerLines(response),
    '',
    content,
    ...(text.notice === '' ? [] : [text.notice]),
  ]
  return textResult(lines.join('\n'), { details })
}

/** The text of a body, and what to say of its end; undefined when it is no text. */
async function shownText(response: WebResponse, kind: BodyKind, { charset }: MediaType, options: ShowOptions) {
  const { body, isTruncated } = response
  if (kind === 'binary' || (kind === 'unknown' && !looksLikeText(body))) return undefined
  const decoded = decodeText(body, charset, kind === 'html')
  if (decoded === undefined) return undefined
  if (kind === 'html' && options.convertsPages) {
    const page = await toMarkdown(decoded.text, maxShownBytes, options.signal)
    const cut = isTruncated ? `[only the first ${maxPageBytes} bytes of the page were read]` : ''
    return {
      shown: cleanText(page.markdown),
      charset: decoded.charset,
      notice: page.isTruncated ? `[body truncated at ${maxShownBytes} bytes]` : cut,
    }
  }
  const cleaned = cleanText(decoded.text)
  const shown = headWithin(cleaned, maxShownBytes)
  const isCut = isTruncated || shown.length < cleaned.length
  return { shown, charset: decoded.charset, notice: isCut ? `[body truncated at ${maxShownBytes} bytes]` : '' }
}

function unsupported(response: WebResponse, { type }: MediaType): ToolResult {
  const length = headerOf(response, 'content-length')
  const size = /^\d{1,15}$/.test(length ?? '') ? `${length} bytes` : 'a size that is not told'
  const what = type === '' ? 'no content type' : `the content type ${type}`
  const text = `HTTP ${response.status}: the answer is binary, with ${what} and ${size}; only text can be shown`
  return errorResult('unsupported_content_type', text, { details: { status: response.status, contentType: type } })
}

/** The reason is the standard's, not what the server wrote there. */
function statusLine(status: number): string {
  return `HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
}

/** What frames the connection, and what has no use without a browser. */
const hiddenHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'set-cookie'])

function headerLines({ headers }: ResponseHead): string[] {
  const values = new Map<string, string[]>()
  for (const [name, value] of headers) {
    if (!hiddenHeaders.has(name)) values.set(name, [...(values.get(name) ?? []), value])
  }
  const lines = [...values]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, all]) => boundedLine(`${name}: ${all.join(', ')}`, maxHeaderBytes))
  if (lines.length <= maxHeaderLines) return lines
  return [...lines.slice(0, maxHeaderLines), `[${lines.length - maxHeaderLines} more headers]`]
}

function mediaTypeOf(head: ResponseHead): MediaType {
  return parseMediaType(headerOf(head, 'content-type'))
}

function headerOf({ headers }: ResponseHead, wanted: string): string | undefined {
  return headers.find(([name]) => name === wanted)?.[1]
}
