import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { buildConnector, Client } from 'undici'
import type { ConnectionOptions, ProxyRoute } from './connection-options.ts'
import { onlyOnce } from './only-once.ts'
import { openTunnel } from './proxy-tunnel.ts'
import type { Pin } from './resolve-pins.ts'
import type { WebTarget } from './web-target.ts'

/**
 * Makes a client of one origin that connects to the pinned addresses and to nothing else, for one exchange. The caller
 * destroys it. TLS 1.2 at least, certificates always checked, whatever the environment says.
 */
export async function pinnedConnection(
  target: WebTarget,
  pins: readonly Pin[],
  options: ConnectionOptions,
): Promise<Client> {
  const { limits, ca, proxy, signal } = options
  const undici = await import('undici')
  const connect = undici.buildConnector({
    timeout: limits.connectMs,
    lookup: pinnedLookup(pins),
    autoSelectFamily: true,
    allowH2: false,
    maxCachedSessions: 0,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    signal,
    ...(ca === undefined ? {} : { ca: [...ca] }),
  })
  const direct: buildConnector.connector = (given, callback) => connect(given, onlyPinned(pins, callback))
  const tunnelled =
    (route: ProxyRoute): buildConnector.connector =>
    async (given, callback) => {
      let socket: Socket
      try {
        socket = await openTunnel(route, target.port, pins, options)
      } catch {
        // not the error itself: undici goes on trying after some of its own
        return callback(new Error('the proxy made no tunnel'), null)
      }
      if (target.scheme === 'http') callback(null, socket)
      else connect({ ...given, httpSocket: socket }, callback)
    }
  return new undici.Client(new URL(target.url).origin, {
    connect: onlyOnce(proxy === undefined ? direct : tunnelled(proxy)),
    maxHeaderSize: limits.maxHeaderBytes,
    // our own deadlines hold; those of undici count in steps of a second
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Answers with what was checked. The system is not asked again, so a name cannot change in between. */
function pinnedLookup(pins: readonly Pin[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = pins
    if (options.all === true) callback(null, [...pins])
    else if (first !== undefined) callback(null, first.address, first.family)
    else callback(new Error('no address'), '')
  }
}

/** A literal address never reaches a look-up: this holds for both, should anything else choose an address. */
function onlyPinned(pins: readonly Pin[], callback: buildConnector.Callback): buildConnector.Callback {
  return (...[error, socket]) => {
    if (error !== null) return callback(error, null)
    if (isPinned(socket, pins)) return callback(null, socket)
    socket.destroy()
    callback(new Error('connected to an address that was not checked'), null)
  }
}

function isPinned({ remoteAddress = '' }: Socket, pins: readonly Pin[]): boolean {
  return pins.some(
    ({ address }) => address === remoteAddress || (isIP(address) === 6 && sameIpv6(address, remoteAddress)),
  )
}

/** One address may be spelled in several ways; the URL parser has one for each. */
function sameIpv6(one: string, other: string): boolean {
  return isIP(other) === 6 && new URL(`http://[${one}]`).hostname === new URL(`http://[${other}]`).hostname
}
