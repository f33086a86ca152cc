import { optionError } from '../failure/option-error.ts'

/** The header that carries the key of a protocol; `bearer` stands for `authorization: Bearer KEY`. */
export type KeyHeader = 'bearer' | 'api-key' | 'x-api-key' | 'x-goog-api-key'

/**
 * Builds the headers of every request of a client; names in lower case. The key outranks a header of its name, and
 * neither can change how the body is framed.
 *
 * @throws InferenceError `invalid_options` for a key or header that cannot be sent; the message never repeats a value.
 */
export function requestHeaders(
  apiKey: string | undefined,
  extra: Readonly<Record<string, string>> = {},
  keyHeader: KeyHeader = 'bearer',
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(extra)) {
    const lower = name.toLowerCase()
    if (!/^[a-z\d!#$%&'*+.^_`|~-]+$/.test(lower)) throw optionError('headers', 'expected legal header names')
    if (framing.has(lower)) throw optionError(`headers.${lower}`, 'is set by the client itself')
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw optionError(`headers.${lower}`, 'expected one line of text')
    headers[lower] = value
  }
  if (apiKey !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(apiKey)) {
      throw optionError('apiKey', 'expected visible characters without spaces or line ends')
    }
    if (keyHeader === 'bearer') headers.authorization = `Bearer ${apiKey}`
    else headers[keyHeader] = apiKey
  }
  headers['content-type'] = 'application/json'
  return headers
}

const framing: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'expect',
  'upgrade',
  'keep-alive',
  'accept-encoding',
])
