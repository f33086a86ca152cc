import { Socket } from 'node:net'
import { DefinitionBuildError } from '../../contract/errors.ts'
import type { ConnectionOptions, ProxyRoute } from './connection-options.ts'
import { onlyOnce } from './only-once.ts'
import type { Pin } from './resolve-pins.ts'

/**
 * Takes the URL of a proxy, with user name and password where it needs them.
 *
 * @throws DefinitionBuildError `invalid_definition`; it never repeats the URL.
 */
export function parseProxy(proxyUrl: string): ProxyRoute {
  try {
    const url = new URL(proxyUrl)
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    if (url.protocol === 'http:' || url.protocol === 'https:') {
      const authorization = user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`
      return { origin: url.origin, authorization }
    }
  } catch {
    // the parser's words hold the URL
  }
  throw new DefinitionBuildError('invalid_definition', 'createGuardedClient', 'proxyUrl')
}

/**
 * Has the proxy connect to the pinned address: it gets no name, so it resolves none. Both schemes go through a tunnel.
 *
 * @throws Error when the proxy cannot be reached or refuses.
 */
export async function openTunnel(
  proxy: ProxyRoute,
  port: number,
  pins: readonly Pin[],
  { limits, ca, signal }: ConnectionOptions,
): Promise<Socket> {
  const [pin] = pins
  if (pin === undefined) throw new Error('no address')
  const authority = `${pin.family === 6 ? `[${pin.address}]` : pin.address}:${port}`
  const { Client, buildConnector } = await import('undici')
  const connect = buildConnector({
    timeout: limits.connectMs,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    signal,
    ...(ca === undefined ? {} : { ca: [...ca] }),
  })
  const client = new Client(proxy.origin, { connect: onlyOnce(connect), headersTimeout: 0 })
  const { statusCode, socket } = await client.connect({
    path: authority,
    signal,
    headers: {
      host: authority,
      ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
    },
  })
  if (statusCode === 200 && socket instanceof Socket) return socket
  socket.on('error', () => undefined).destroy()
  throw new Error('the proxy refused')
}
