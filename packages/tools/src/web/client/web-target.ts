import { isIP } from 'node:net'
import { webError } from '../codes.ts'

/** A URL taken apart once, in its one canonical spelling. */
export interface WebTarget {
  /** The whole URL without fragment. */
  readonly url: string
  readonly scheme: 'http' | 'https'
  /** Lower case, no dot at the end, an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
}

/** The most characters of a URL. */
export const maxUrlLength = 8_192

const hostName = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/

/**
 * Takes a URL apart. Every way to write an address (decimal, octal, hexadecimal, full-width digits) comes out as the
 * one that is connected to.
 *
 * @throws ToolError `invalid_url`; the message never repeats the URL.
 */
export function parseTarget(text: string): WebTarget {
  if (text.length > maxUrlLength) throw invalid(`the URL is longer than ${maxUrlLength} characters`)
  // a URL parser would drop line breaks, and what is shown would not be what is fetched
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/.test(text))
    throw invalid('the URL holds a space or a control character')
  if (!URL.canParse(text)) throw invalid('the URL is not absolute or not valid')
  const url = new URL(text)
  const scheme = url.protocol.slice(0, -1)
  if (scheme !== 'http' && scheme !== 'https') throw invalid('the URL is neither http nor https')
  if (url.username !== '' || url.password !== '') throw invalid('the URL holds a user name or password')
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0 && (host.length > 253 || !hostName.test(host))) throw invalid('the host of the URL is not valid')
  const port = url.port === '' ? { http: 80, https: 443 }[scheme] : Number(url.port)
  if (port < 1) throw invalid('the port of the URL is not from 1 to 65535')
  url.hash = ''
  return { url: url.href, scheme, host, port }
}

/** Says whether two URLs are of the same scheme, host and port. */
export function isSameOrigin(one: WebTarget, other: WebTarget): boolean {
  return one.scheme === other.scheme && one.host === other.host && one.port === other.port
}

function invalid(message: string): Error {
  return webError('invalid_url', message)
}
