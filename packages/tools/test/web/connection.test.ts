import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { ToolError } from '@looprig/tools'
import { createGuardedClient } from '@looprig/tools/web'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bodyText, get, refusal } from './client-fixture.ts'
import { serve, serveRaw } from './local-server.ts'
import { canMakeCertificates, makeCertificate, serveTls } from './tls-server.ts'

afterEach(() => vi.unstubAllEnvs())

const resolve = async () => ['127.0.0.1']

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

/** A proxy that makes tunnels, until the test ends. */
async function startProxy() {
  const asked: { target: string; authorization: string | undefined }[] = []
  const open = new Set<Socket>()
  const server = createServer((_request, response) => response.writeHead(405).end())
  server.on('connection', (socket: Socket) => open.add(socket))
  server.on('connect', (request, socket: Socket) => {
    asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] })
    const [host = '', port = ''] = (request.url ?? '').split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    open.add(onward)
    for (const one of [onward, socket]) one.on('error', () => undefined)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { asked, port: (server.address() as AddressInfo).port } // proved: it listens on a port
}

describe.skipIf(!canMakeCertificates)('a connection with TLS', () => {
  const certificate = canMakeCertificates ? makeCertificate() : { key: '', cert: '' }
  const clientOf = (port: number, ca?: string[], host = 'dev.example') =>
    createGuardedClient({ resolve, ca, allowPrivateHosts: [`${host}:${port}`] })

  it('is made to a certificate that is trusted', async () => {
    const port = await serveTls(certificate)

    const answer = await clientOf(port, [certificate.cert]).request(get(`https://dev.example:${port}/`))

    expect(bodyText(answer)).toBe('secure')
  })

  it('is refused to any other, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const port = await serveTls(certificate)

    expect(await refusal(clientOf(port).request(get(`https://dev.example:${port}/SENTINEL`)))).toEqual({
      code: 'tls_failed',
      message: 'the certificate or TLS version of dev.example is refused',
    })
  })

  it('is refused to the certificate of another name', async () => {
    const port = await serveTls(certificate)
    const client = clientOf(port, [certificate.cert], 'other.example')

    expect(await refusal(client.request(get(`https://other.example:${port}/`)))).toMatchObject({ code: 'tls_failed' })
  })

  it('is refused below TLS 1.2', async () => {
    const port = await serveTls(certificate, 'TLSv1.1')
    const client = clientOf(port, [certificate.cert])

    expect(await refusal(client.request(get(`https://dev.example:${port}/`)))).toMatchObject({ code: 'tls_failed' })
  })

  it('goes through a tunnel of the proxy, which is asked for the address that was checked', async () => {
    const port = await serveTls(certificate)
    const proxy = await startProxy()
    const client = createGuardedClient({
      resolve,
      ca: [certificate.cert],
      allowPrivateHosts: [`dev.example:${port}`],
      proxyUrl: `http://me:s%20t@127.0.0.1:${proxy.port}`,
    })

    const answer = await client.request(get(`https://dev.example:${port}/`))

    expect(bodyText(answer)).toBe('secure')
    expect(proxy.asked).toEqual([
      { target: `127.0.0.1:${port}`, authorization: `Basic ${Buffer.from('me:s t').toString('base64')}` },
    ])
  })
})

describe('a connection', () => {
  it('that never gets through its handshake ends in time and is closed', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serveRaw((socket) => {
      closed = once(socket, 'close')
    })
    const client = createGuardedClient({ allowPrivateHosts: [server.host], limits: { connectMs: 100 } })

    const outcome = await refusal(client.request(get(`https://${server.host}/`)))
    await closed

    expect(outcome).toMatchObject({ code: 'timed_out' })
  })

  it('is closed when its call is interrupted in the middle of the handshake', async () => {
    const controller = new AbortController()
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serveRaw((socket) => {
      closed = once(socket, 'close')
      controller.abort()
    })
    const client = createGuardedClient({ allowPrivateHosts: [server.host] })

    const outcome = await refusal(client.request(get(`https://${server.host}/`, { signal: controller.signal })))
    await closed

    expect(outcome).toMatchObject({ code: 'interrupted' })
  })

  it('settles whatever a server sends', async () => {
    const parts = [
      'HTTP/1.1 200 OK',
      'HTTP/1.1 103 Early',
      'HTTP/1.1 302 F',
      '\r\n',
      '\r\n\r\n',
      ': ',
      'content-length: 5',
      'transfer-encoding: chunked',
      'content-encoding: gzip',
      'location: /',
      '5\r\nhello\r\n',
      '0\r\n\r\n',
      'ffffffffffffffff\r\n',
      '\0',
      '\x1f\x8b\x08\0',
      'x'.repeat(70_000),
    ]
    let state = 1
    const next = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * below)
    }
    const server = await serveRaw((socket) => {
      const sent = Array.from({ length: 1 + next(12) }, () => parts[next(parts.length)])
      socket.end(Buffer.from([next(3) > 0 ? 'HTTP/1.1 200 OK\r\n' : '', ...sent].join(''), 'latin1'))
    })
    const client = createGuardedClient({ allowPrivateHosts: [server.host], limits: { totalMs: 3_000 } })

    for (let run = 0; run < 300; run += 1) {
      const outcome = await client.request(get(server.origin)).catch((error: unknown) => error)
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ToolError)
      else expect(outcome).toMatchObject({ status: expect.any(Number) })
    }
  })

  it.skipIf(!hasIpv6)('goes to a named address of IPv6', async () => {
    const server = createServer((request, response) => response.end(request.headers.host))
    await new Promise<void>((done) => server.listen(0, '::1', done))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo // proved: it listens on a port
    const client = createGuardedClient({ allowPrivateHosts: [`[::1]:${port}`] })

    expect(bodyText(await client.request(get(`http://[0:0:0:0:0:0:0:1]:${port}/`)))).toBe(`[::1]:${port}`)
  })
})

describe('a proxy', () => {
  it('is used where it is an option, for http as well', async () => {
    const server = await serve((request, response) => response.end(request.headers.host))
    const proxy = await startProxy()
    const client = createGuardedClient({
      resolve,
      allowPrivateHosts: [`a.example:${server.port}`],
      proxyUrl: `http://127.0.0.1:${proxy.port}`,
    })

    const answer = await client.request(get(`http://a.example:${server.port}/`))

    expect(bodyText(answer)).toBe(`a.example:${server.port}`)
    expect(proxy.asked).toEqual([{ target: `127.0.0.1:${server.port}`, authorization: undefined }])
  })

  it('is not asked for an address that is not public', async () => {
    const proxy = await startProxy()
    const client = createGuardedClient({ resolve, proxyUrl: `http://127.0.0.1:${proxy.port}` })

    expect(await refusal(client.request(get('http://a.example/')))).toMatchObject({ code: 'address_denied' })
    expect(proxy.asked).toEqual([])
  })

  it('is not read from the environment', async () => {
    const server = await serve((_request, response) => response.end('direct'))
    const proxy = await startProxy()
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`)
    const client = createGuardedClient({ allowPrivateHosts: [server.host] })

    expect(bodyText(await client.request(get(server.origin)))).toBe('direct')
    expect(proxy.asked).toEqual([])
  })

  it('that refuses is a failed request, which tells nothing of it', async () => {
    const server = await serve((_request, response) => response.end())
    const client = createGuardedClient({
      resolve,
      allowPrivateHosts: ['a.example:80'],
      proxyUrl: `http://x:SENTINEL@${server.host}`,
    })

    expect(await refusal(client.request(get('http://a.example/')))).toEqual({
      code: 'request_failed',
      message: 'request failed: GET a.example',
    })
  })

  it('that closes every connection is connected to once', async () => {
    const server = await serveRaw(
      () => undefined,
      (socket) => socket.destroy(),
    )
    const client = createGuardedClient({ resolve, allowPrivateHosts: ['a.example:80'], proxyUrl: server.origin })

    expect(await refusal(client.request(get('http://a.example/')))).toMatchObject({ code: 'request_failed' })
    expect(server.connections()).toBe(1)
  })

  it.each(['SENTINEL', 'socks5://127.0.0.1:1', '', 'file:///SENTINEL', 'http://SENTINEL%zz@127.0.0.1:1'])(
    'with the URL %j is refused',
    (proxyUrl) => {
      const make = () => createGuardedClient({ proxyUrl })

      expect(make).toThrow('createGuardedClient: the definition is not valid (proxyUrl)')
    },
  )
})
