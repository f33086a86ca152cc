import type { ConnectionOptions } from '../transport/dispatcher.ts'
import type { TransportLimits } from '../transport/limits.ts'

/** What the clients of all protocols take: where to send requests, as whom, and within which bounds. */
export interface EndpointOptions extends TransportLimits, ConnectionOptions {
  /** The URL below which the paths of the protocol lie. A query in it is kept. */
  readonly baseUrl?: string | undefined
  /** Sent in the header that the protocol has for it; absent for servers that want none. */
  readonly apiKey?: string | undefined
  /** Sent with every request; treated as secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Permits plain http to hosts other than this machine. Default: false. */
  readonly allowInsecureHttp?: boolean | undefined
}

/** Every value that must never be shown; of `Bearer x` the second word too. */
export function secretsOf({ apiKey, headers = {} }: EndpointOptions): string[] {
  const secrets = apiKey === undefined ? [] : [apiKey]
  for (const value of Object.values(headers)) {
    for (const word of [value, ...value.split(/\s+/)]) if (word.length >= minHeaderSecret) secrets.push(word)
  }
  return secrets
}

/** Shorter header values are versions and names. */
const minHeaderSecret = 8
