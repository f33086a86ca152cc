import type { Dispatcher } from 'undici'
import { webError } from '../codes.ts'
import type { ConnectionOptions } from './connection-options.ts'
import type { Deadline } from './deadline.ts'
import { acceptEncoding, emptyBody, readDecoded } from './decoded-body.ts'
import { pinnedConnection } from './pinned-connection.ts'
import { maxRedirects, type Redirect, redirectOf } from './redirect.ts'
import type { Pin } from './resolve-pins.ts'
import type { ResponseHead, WebRequest, WebResponse } from './web-client.ts'
import type { WebTarget } from './web-target.ts'

/** What one call has, over all its redirects. */
export interface ExchangeOptions extends Omit<ConnectionOptions, 'signal'> {
  readonly request: WebRequest
  /** Checked, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly userAgent: string
  /** The addresses of the host; they hold for all redirects, since those stay at it. */
  readonly pins: readonly Pin[]
  readonly deadline: Deadline
}

/** One request on its way through redirects. */
interface Hop {
  readonly target: WebTarget
  readonly method: 'GET' | 'POST'
  readonly body: string | null
}

/** Sends a request and follows it to its final answer. Each hop has a connection of its own. */
export async function exchange(target: WebTarget, options: ExchangeOptions): Promise<WebResponse> {
  const { method, body = '' } = options.request
  let hop: Hop = { target, method, body: method === 'POST' ? body : null }
  for (let followed = 0; ; followed += 1) {
    const outcome = await sendOnce(hop, options)
    if ('body' in outcome) return outcome
    if (followed === maxRedirects) {
      throw webError('too_many_redirects', `${target.host} redirects more than ${maxRedirects} times`)
    }
    hop = outcome.keepsMethod
      ? { ...hop, target: outcome.target }
      : { target: outcome.target, method: 'GET', body: null }
  }
}

async function sendOnce(hop: Hop, options: ExchangeOptions): Promise<WebResponse | Redirect> {
  const { deadline, limits, pins, request } = options
  // a signal of its own, so that one call's hops do not pile up on the deadline
  const end = new AbortController()
  const signal = AbortSignal.any([deadline.signal, end.signal])
  const client = await pinnedConnection(hop.target, pins, { ...options, signal })
  try {
    deadline.expect('the start of the answer', limits.connectMs + limits.firstByteMs)
    const answer = await deadline.race(
      client.request({
        path: pathOf(hop.target),
        method: hop.method,
        headers: headersOf(hop, options),
        body: hop.body,
        signal,
        reset: true,
      }),
    )
    const head = headOf(answer)
    const redirect = redirectOf(head, hop.target, hop.method)
    if (redirect !== undefined) return redirect
    const limit = request.bodyLimit(head)
    deadline.expect('the next part of the answer', limits.idleMs)
    const read = limit > 0 ? await deadline.race(readBody(answer, head, limit, deadline)) : emptyBody
    return { ...head, ...read }
  } finally {
    end.abort()
    void client.destroy().catch(() => undefined)
  }
}

async function readBody({ body }: Dispatcher.ResponseData, head: ResponseHead, limit: number, deadline: Deadline) {
  const encoding = head.headers.filter(([name]) => name === 'content-encoding').map(([, value]) => value)
  try {
    return await readDecoded(body, encoding.join(','), limit, () => deadline.progressed())
  } finally {
    body.on('error', () => undefined).destroy()
  }
}

function pathOf({ url }: WebTarget): string {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

function headersOf({ method, body }: Hop, { headers, userAgent }: ExchangeOptions): Record<string, string> {
  const { 'content-type': contentType, ...others } = headers
  return {
    accept: '*/*',
    'user-agent': userAgent,
    ...others,
    ...(method === 'POST' && body !== null ? { 'content-type': contentType ?? 'text/plain; charset=utf-8' } : {}),
    'accept-encoding': acceptEncoding,
  }
}

function headOf({ statusCode, headers }: Dispatcher.ResponseData): ResponseHead {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((one) => [name, one] as const),
  )
  return { status: statusCode, headers: list }
}
