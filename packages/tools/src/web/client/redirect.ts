import { webError } from '../codes.ts'
import type { ResponseHead } from './web-client.ts'
import { isSameOrigin, parseTarget, type WebTarget } from './web-target.ts'

/** The most redirects that one call follows. */
export const maxRedirects = 10

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Where an answer leads, and how the request goes on there. */
export interface Redirect {
  readonly target: WebTarget
  /** Sent again as it was, body included; else as GET without a body. */
  readonly keepsMethod: boolean
}

/**
 * Tells whether an answer leads elsewhere. An answer without a usable place to go to is shown as it is.
 *
 * @throws ToolError `redirect_blocked` when it leads out of the origin; the message names the host alone.
 */
export function redirectOf({ status, headers }: ResponseHead, from: WebTarget, method: string): Redirect | undefined {
  const location = headers.find(([name]) => name === 'location')?.[1]
  if (!redirects.has(status) || location === undefined) return undefined
  const target = leadsTo(location, from)
  if (!isSameOrigin(target, from)) throw blocked(target, from)
  const keepsMethod = status === 307 || status === 308 || (method === 'GET' && status !== 303)
  return { target, keepsMethod }
}

function leadsTo(location: string, from: WebTarget): WebTarget {
  try {
    return parseTarget(new URL(location, from.url).href)
  } catch {
    throw webError('redirect_blocked', `${from.host} redirects to a URL that cannot be followed`)
  }
}

function blocked(target: WebTarget, from: WebTarget): Error {
  const where = target.host === from.host ? 'itself under another scheme or port' : `the host ${target.host}`
  return webError(
    'redirect_blocked',
    `${from.host} redirects to ${where}, which was not approved; call again with the new URL if you know it`,
  )
}
