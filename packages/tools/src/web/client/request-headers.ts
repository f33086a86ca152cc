import { webError } from '../codes.ts'

/** The most headers of a request, and the most characters of all of them. */
const maxHeaders = 32
const maxHeaderLength = 16_384

const headerName = /^[a-z\d!#$%&'*+.^_`|~-]{1,128}$/
const headerValue = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/

/** What frames the request, names its host, or speaks to a proxy. */
const ownHeaders: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
])

/**
 * Checks the headers that a caller wants to send; names come out in lower case.
 *
 * @throws ToolError `invalid_headers`; the message names a legal name at most, never a value.
 */
export function checkedHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {}
  const entries = Object.entries(given)
  if (entries.length > maxHeaders) throw webError('invalid_headers', `there are more than ${maxHeaders} headers`)
  let length = 0
  for (const [name, value] of entries) {
    const lower = name.toLowerCase()
    if (!headerName.test(lower) || lower === '__proto__')
      throw webError('invalid_headers', 'a header has a name that is not legal')
    if (ownHeaders.has(lower) || lower.startsWith('proxy-')) {
      throw webError('invalid_headers', `the header ${lower} cannot be set`)
    }
    if (Object.hasOwn(headers, lower)) throw webError('invalid_headers', `the header ${lower} is given twice`)
    if (!headerValue.test(value)) throw webError('invalid_headers', `the header ${lower} is not one line of Latin text`)
    length += lower.length + value.length
    headers[lower] = value
  }
  if (length > maxHeaderLength) {
    throw webError('invalid_headers', `the headers are longer than ${maxHeaderLength} characters`)
  }
  return headers
}
