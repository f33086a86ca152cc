import { byteLength } from '@looprig/core'
import { z } from 'zod'
import { ToolError } from '../../contract/errors.ts'
import { checkedHeaders } from '../client/request-headers.ts'
import { maxUrlLength, parseTarget, type WebTarget } from '../client/web-target.ts'

/** The most bytes of a body that is sent. */
const maxBodyBytes = 262_144

/** Seconds of a call. */
const defaultTimeout = 30
const maxTimeout = 60

/** What Fetch takes from a model. */
export const fetchInput = z.strictObject({
  url: z.string().min(1).max(maxUrlLength).describe('An absolute http or https URL, without user name and password.'),
  method: z
    .string()
    .max(16)
    .meta({ enum: ['GET', 'POST'] })
    .describe('GET or POST.'),
  headers: z.record(z.string(), z.string()).optional().describe('Request headers, by name.'),
  body: z.string().optional().describe('The request body; for POST only. At most 256 KiB.'),
  timeout: z.int().optional().describe(`Seconds, 1 to ${maxTimeout}. Default ${defaultTimeout}.`),
})

/** One request, as it was approved. */
export interface ApprovedFetch extends WebTarget {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Seconds. */
  readonly timeout: number
}

/**
 * Normalises the arguments once; what comes out is what is shown, approved and sent.
 *
 * @throws ToolError `invalid_arguments`, `invalid_url` or `invalid_headers`; never with a value.
 */
export function approvableFetch(input: z.infer<typeof fetchInput>): ApprovedFetch {
  const method = input.method.trim().toUpperCase()
  if (method !== 'GET' && method !== 'POST') throw refused('method: expected GET or POST')
  const { body = '' } = input
  if (method === 'GET' && body !== '') throw refused('body: expected none with GET; use POST')
  if (!body.isWellFormed()) throw refused('body: expected well-formed text')
  if (byteLength(body) > maxBodyBytes) throw refused(`body: expected at most ${maxBodyBytes} bytes`)
  return {
    ...parseTarget(input.url),
    method,
    headers: checkedHeaders(input.headers ?? {}),
    body,
    timeout: timeoutOf(input.timeout),
  }
}

function timeoutOf(given = 0): number {
  return given <= 0 ? defaultTimeout : Math.min(given, maxTimeout)
}

function refused(message: string): ToolError {
  return new ToolError('invalid_arguments', `invalid arguments: ${message}`)
}
