import { connect, createServer, type Server } from 'node:net'
import { inspect } from 'node:util'
import { openAIChatClient } from '@looprig/inference/openai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type Answer,
  events,
  json,
  openStream,
  type ProviderServer,
  startProvider,
  stopFrame,
  textFrame,
  wholeText,
} from '../support/provider-server.ts'
import { ask, failureOf } from '../support/requests.ts'

let server: ProviderServer

afterEach(() => server.close())

async function start(...answers: [Answer, ...Answer[]]): Promise<void> {
  server = await startProvider(...answers)
}

function client(options: Partial<Parameters<typeof openAIChatClient>[0]> = {}) {
  return openAIChatClient({ baseUrl: server.baseUrl, ...options })
}

const silent: Answer = () => {}

describe('the transport of a client', () => {
  it('closes the connection when the reader leaves the loop early', async () => {
    await start((response) => openStream(response, textFrame('a'), textFrame('b')))
    const stream = client().stream(ask())

    for await (const event of stream) if (event.type === 'text_delta') break

    await server.requests[0]?.closed
    expect(await failureOf(stream.result())).toMatchObject({ code: 'aborted' })
  })

  it('closes the connection and fails as aborted when the signal aborts in the middle', async () => {
    await start((response) => openStream(response, textFrame('a')))
    const abort = new AbortController()
    const stream = client().stream(ask(), { signal: abort.signal })

    const error = await failureOf(
      (async () => {
        for await (const event of stream) if (event.type === 'text_delta') abort.abort()
      })(),
    )

    expect(error).toMatchObject({ code: 'aborted', retryable: false })
    await server.requests[0]?.closed
  })

  it('fails as aborted while it waits for the headers', async () => {
    const abort = new AbortController()
    await start(() => abort.abort())

    const error = await failureOf(client().invoke(ask(), { signal: abort.signal }))

    expect(error.code).toBe('aborted')
    await server.requests[0]?.closed
  })

  it('sends nothing when the signal is aborted already', async () => {
    await start(silent)

    const error = await failureOf(client().invoke(ask(), { signal: AbortSignal.abort() }))

    expect(error.code).toBe('aborted')
    expect(server.requests).toHaveLength(0)
  })

  it('gives up on headers that do not come', async () => {
    await start(silent)

    const error = await failureOf(client({ firstByteTimeoutMs: 40 }).stream(ask()).result())

    expect(error).toMatchObject({ code: 'timeout', retryable: true })
    expect(error.message).toBe('the response did not come within 40 ms')
    await server.requests[0]?.closed
  })

  it('gives up on a stream that stalls', async () => {
    await start((response) => openStream(response, textFrame('a')))

    const error = await failureOf(client({ idleTimeoutMs: 40 }).stream(ask()).result())

    expect(error).toMatchObject({ code: 'timeout', message: 'the next part of the response did not come within 40 ms' })
    await server.requests[0]?.closed
  })

  it('does not count the time that the reader takes as idle', async () => {
    await start(events(textFrame('a'), textFrame('b'), stopFrame, '[DONE]'))
    const stream = client({ idleTimeoutMs: 300 }).stream(ask())

    for await (const event of stream) {
      if (event.type === 'block_start') await new Promise((resolve) => setTimeout(resolve, 450))
    }

    expect((await stream.result()).finishReason).toBe('stop')
  })

  it('gives up on a stream that never ends, however busy it is', async () => {
    await start((response) => {
      openStream(response, textFrame('a'))
      const beat = setInterval(() => response.write(': still here\n\n'), 10)
      response.once('close', () => clearInterval(beat))
    })

    const error = await failureOf(client({ streamTimeoutMs: 60, idleTimeoutMs: 1000 }).stream(ask()).result())

    expect(error).toMatchObject({ code: 'timeout', message: 'the response was not complete within 60 ms' })
  })

  it('gives up on a whole response that does not come', async () => {
    await start(silent)

    const error = await failureOf(client({ invokeTimeoutMs: 40 }).invoke(ask()))

    expect(error).toMatchObject({ code: 'timeout', message: 'the response was not complete within 40 ms' })
  })

  it('refuses a whole response over its cap', async () => {
    await start(json(200, wholeText('x'.repeat(5000))))

    const error = await failureOf(client({ maxResponseBytes: 4096 }).invoke(ask()))

    expect(error).toMatchObject({ code: 'response_too_large', retryable: false })
  })

  it('refuses a stream over its cap and closes it', async () => {
    await start((response) => openStream(response, ...Array.from({ length: 200 }, () => textFrame('x'.repeat(50)))))

    const error = await failureOf(client({ maxStreamBytes: 4096 }).stream(ask()).result())

    expect(error.code).toBe('response_too_large')
    await server.requests[0]?.closed
  })

  it('refuses a line without an end before it fills the memory', async () => {
    await start((response) => {
      openStream(response)
      response.write(`data: ${'x'.repeat(1024 * 1024 + 10)}`)
    })

    const error = await failureOf(client().stream(ask()).result())

    expect(error.code).toBe('malformed')
    await server.requests[0]?.closed
  })

  it('reports a connection that is reset in the middle', async () => {
    await start((response) => {
      openStream(response, textFrame('a'))
      setImmediate(() => response.socket?.resetAndDestroy())
    })

    const error = await failureOf(client().stream(ask()).result())

    expect(error).toMatchObject({ code: 'network', retryable: true })
  })

  it('reports a port where nobody listens, without naming it', async () => {
    await start(silent)
    await server.close()

    const error = await failureOf(client().invoke(ask()))

    expect(error).toMatchObject({ code: 'network', retryable: true, message: 'the connection failed (ECONNREFUSED)' })
  })

  it('reports an answer that is not HTTP', async () => {
    await start(silent)
    const raw = createServer((socket) => socket.end('220 mail.example.org ready\r\n'))
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))

    const error = await failureOf(client({ baseUrl: `http://127.0.0.1:${portOf(raw)}` }).invoke(ask()))
    raw.close()

    expect(error).toMatchObject({ code: 'malformed', retryable: false })
  })

  it('goes through a proxy when one is given', async () => {
    await start(json(200, wholeText('by proxy')))
    const targets: string[] = []
    const proxy = createTunnel(targets)
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))

    const { finishReason } = await client({ proxyUrl: `http://127.0.0.1:${portOf(proxy)}` }).invoke(ask())
    proxy.close()

    expect(finishReason).toBe('stop')
    expect(targets).toEqual([new URL(server.baseUrl).host])
  })

  it.each([
    ['through the proxy of its kind of URL', '', true],
    ['directly to a host that is excepted', 'example.test, 127.0.0.1', false],
    ['directly everywhere with *', '*', false],
  ])('goes %s by the variables that it is given', async (_how, noProxy, proxied) => {
    await start(json(200, wholeText('ok')))
    const targets: string[] = []
    const proxy = createTunnel(targets)
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const proxyVariables = { httpProxy: `http://127.0.0.1:${portOf(proxy)}`, httpsProxy: '', noProxy }

    await client({ proxyVariables }).invoke(ask())
    proxy.close()

    expect(targets).toEqual(proxied ? [new URL(server.baseUrl).host] : [])
  })

  it('reads no proxy from the environment', async () => {
    await start(json(200, wholeText('ok')))
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
    vi.stubEnv('http_proxy', 'http://127.0.0.1:1')

    const direct = await client({}).invoke(ask())
    const byVariables = await client({ proxyVariables: {} }).invoke(ask())
    vi.unstubAllEnvs()

    expect([direct.finishReason, byVariables.finishReason]).toEqual(['stop', 'stop'])
  })

  it.each([
    [{ proxyUrl: 'socks5://proxy' }, 'proxyUrl'],
    [{ proxyVariables: { httpsProxy: 'user:SENTINEL@proxy' } }, 'proxyVariables.httpsProxy'],
    [{ proxyVariables: {}, proxyUrl: 'http://proxy' }, 'proxyVariables'],
  ])('refuses the connection options %o without repeating them', async (options, field) => {
    await start(json(200, wholeText('ok')))

    expect(() => client(options)).toThrow(expect.objectContaining({ code: 'invalid_options' }))
    expect(() => client(options)).toThrow(new RegExp(`^${field}: (?!.*SENTINEL)`))
  })

  it('keeps a key and headers out of every error, text and print', async () => {
    const secret = 'canary-0123456789'
    const echo: Answer = (response) =>
      json(400, { error: { message: `key ${secret}`, type: secret, code: secret } })(response)
    await start(echo)
    const made = client({ apiKey: secret, headers: { 'x-team': `${secret}-team` } })

    const error = await failureOf(made.invoke(ask()))

    const shown = [String(error), error.stack, JSON.stringify(error), inspect(error, { depth: 9, showHidden: true })]
    shown.push(inspect(made, { depth: 9, showHidden: true }), JSON.stringify(made))
    expect(shown.join('\n')).not.toContain('canary')
  })
})

/** The smallest proxy: opens what a CONNECT line names, and notes it. */
function createTunnel(targets: string[]): Server {
  return createServer((socket) => {
    socket.once('data', (head) => {
      const target = head.toString().match(/^CONNECT (\S+) /)?.[1] ?? ''
      targets.push(target)
      const [host, port] = target.split(':')
      const upstream = connect(Number(port), host)
      upstream.once('connect', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      socket.pipe(upstream).pipe(socket)
      upstream.on('error', () => socket.destroy())
      socket.on('error', () => upstream.destroy())
    })
  })
}

function portOf(listening: Server): number {
  const address = listening.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
