import { createAddressPolicy } from './address-policy.ts'
import { Deadline } from './deadline.ts'
import { type ExchangeOptions, exchange } from './exchange.ts'
import { type ClientLimits, wholeLimits } from './limits.ts'
import { parseProxy } from './proxy-tunnel.ts'
import { checkedHeaders } from './request-headers.ts'
import { type HostResolver, resolvePins, systemResolver } from './resolve-pins.ts'
import { transportError } from './transport-error.ts'
import type { WebClient, WebRequest, WebResponse } from './web-client.ts'
import { parseTarget } from './web-target.ts'

/** What an application may set for a guarded client. */
export interface GuardedClientOptions {
  /**
   * Hosts that may have private or loopback addresses, each as `host:port`, for example `localhost:3000`. Link-local,
   * metadata and reserved addresses are reached only where the entry is that very address. Also lifts the list of
   * refused ports. Default: none.
   */
  readonly allowPrivateHosts?: readonly string[] | undefined
  /**
   * An http or https proxy that every connection goes through, with its credentials where it needs them. Names are still
   * resolved and checked here; the proxy is asked for the address. No variable of the environment is read.
   */
  readonly proxyUrl?: string | undefined
  /** Certificates that are trusted instead of the system's own, in PEM. */
  readonly ca?: readonly string[] | undefined
  readonly limits?: ClientLimits | undefined
  /** Sent as `user-agent` where a request sets none. Default `looprig-web/1.0`. */
  readonly userAgent?: string | undefined
  /** Resolves names. Default: as the system does. Every address that it gives is checked. */
  readonly resolve?: HostResolver | undefined
}

/**
 * Makes the client of web tools. It reaches public addresses and the named private ones: a name is resolved once per
 * call, all its addresses are checked, and the connection goes to one of them. It shares no connection between calls.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the option that is not valid.
 */
export function createGuardedClient(options: GuardedClientOptions = {}): WebClient {
  const { ca, userAgent = 'looprig-web/1.0', resolve = systemResolver } = options
  const policy = createAddressPolicy(options.allowPrivateHosts ?? [])
  const proxy = options.proxyUrl === undefined ? undefined : parseProxy(options.proxyUrl)
  const limits = wholeLimits(options.limits)
  const known = { limits, ca: ca && [...ca], proxy, userAgent }

  const request = async (given: WebRequest): Promise<WebResponse> => {
    const target = parseTarget(given.url)
    policy.checkTarget(target)
    const headers = checkedHeaders(given.headers ?? {})
    const deadline = new Deadline(given.signal, Math.min(given.timeoutMs ?? limits.totalMs, limits.totalMs))
    try {
      const pins = await deadline.race(resolvePins(target, policy, resolve))
      const exchanged: ExchangeOptions = { ...known, pins, headers, deadline, request: given }
      return await exchange(target, exchanged)
    } catch (error) {
      throw transportError(error, deadline.signal, given.method, target)
    } finally {
      deadline.close()
    }
  }

  return Object.freeze({ checkUrl: (url: string) => policy.checkTarget(parseTarget(url)), request })
}
