import { once } from 'node:events'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { createGuardedClient } from '@looprig/tools/web'
import { describe, expect, it } from 'vitest'
import { writeGzipBomb } from './bomb.ts'
import { bodyText, clientFor, get, refusal } from './client-fixture.ts'
import { serve, serveRaw } from './local-server.ts'

const text = 'Grüße, 世界 🙂 '.repeat(500)

describe('the body of an answer', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity', Buffer.from(text)],
  ])('comes decompressed from %s', async (encoding, bytes) => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    )

    const answer = await clientFor(server).request(get(server.origin))

    expect(bodyText(answer)).toBe(text)
    expect(answer.isTruncated).toBe(false)
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip, deflate, br')
  })

  it('ends at its limit, to the byte', async () => {
    const server = await serve((_request, response) => response.end('0123456789'))
    const client = clientFor(server)
    const read = async (limit: number) => {
      const answer = await client.request(get(server.origin, { bodyLimit: () => limit }))
      return [bodyText(answer), answer.isTruncated]
    }

    expect(await read(9)).toEqual(['012345678', true])
    expect(await read(10)).toEqual(['0123456789', false])
    expect(await read(0)).toEqual(['', false])
  })

  it('of a gigabyte of compressed zeros costs no more than its limit', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      writeGzipBomb(response)
    })
    const before = process.memoryUsage().rss

    const answer = await clientFor(server).request(get(server.origin))

    expect(answer.body.length).toBe(65_536)
    expect(answer.isTruncated).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20)
  })

  it('of a small bomb is decompressed no further than its limit', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(64 << 20), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    const server = await serve((_request, response) => response.writeHead(200, { 'content-encoding': 'br' }).end(bomb))
    const before = process.memoryUsage().rss

    const answer = await clientFor(server).request(get(server.origin))

    expect([bomb.length < 1_000, answer.body.length, answer.isTruncated]).toEqual([true, 65_536, true])
    expect(process.memoryUsage().rss - before).toBeLessThan(48 << 20)
  })

  it('that never ends is cut at its limit, and the connection is closed', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serve((_request, response) => {
      closed = once(response, 'close')
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', write)
      write()
    })

    const answer = await clientFor(server).request(get(server.origin))
    await closed

    expect([answer.body.length, answer.isTruncated]).toEqual([65_536, true])
  })

  it.each([
    ['two layers', 'gzip, gzip'],
    ['an unknown one', 'zstd'],
  ])('is refused in %s of compression', async (_name, encoding) => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end('x'),
    )

    expect(await refusal(clientFor(server).request(get(server.origin)))).toMatchObject({ code: 'unsupported_encoding' })
  })

  it('may be empty whatever it says of its compression', async () => {
    const server = await serve((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end())

    expect((await clientFor(server).request(get(server.origin))).body.length).toBe(0)
  })

  it.each([
    ['stops inside its compression', gzipSync(text).subarray(0, 60)],
    ['is not compressed as it says', Buffer.from('plain SENTINEL')],
  ])('fails without its content when it %s', async (_name, bytes) => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes),
    )

    expect(await refusal(clientFor(server).request(get(server.origin)))).toEqual({
      code: 'request_failed',
      message: 'request failed: GET 127.0.0.1',
    })
  })

  it('fails when the connection is reset in its middle', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf SENTINEL', () => socket.resetAndDestroy())
    })

    expect(await refusal(clientFor(server).request(get(`${server.origin}/p?q=SENTINEL`)))).toEqual({
      code: 'request_failed',
      message: 'request failed: GET 127.0.0.1',
    })
  })
})

describe('a server that closes every connection', () => {
  it('is connected to once', async () => {
    const server = await serveRaw(
      () => undefined,
      (socket) => socket.destroy(),
    )

    expect(await refusal(clientFor(server).request(get(server.origin)))).toMatchObject({ code: 'request_failed' })
    expect(server.connections()).toBe(1)
  })

  it('also after it has the request, is connected to once', async () => {
    const server = await serveRaw((socket) => socket.destroy())

    expect(await refusal(clientFor(server).request(get(server.origin)))).toMatchObject({ code: 'request_failed' })
    expect(server.connections()).toBe(1)
  })
})

describe('the time of a call', () => {
  it('ends while the head of the answer comes byte by byte', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    const client = clientFor(server, { limits: { connectMs: 50, firstByteMs: 150 } })

    const { code, message } = await refusal(client.request(get(server.origin)))

    expect([code, message]).toEqual(['timed_out', 'the start of the answer did not come within 0.2 s'])
  })

  it('ends when the body stops coming', async () => {
    const server = await serve((_request, response) => response.writeHead(200).write('half'))

    expect(await refusal(clientFor(server, { limits: { idleMs: 100 } }).request(get(server.origin)))).toEqual({
      code: 'timed_out',
      message: 'the next part of the answer did not come within 0.1 s',
    })
  })

  it('ends as a whole although the body goes on byte by byte', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(drip))
    })

    expect(await refusal(clientFor(server).request(get(server.origin, { timeoutMs: 200 })))).toEqual({
      code: 'timed_out',
      message: 'no whole answer came within 0.2 s',
    })
  })

  it('covers the look-up of the name', async () => {
    const client = createGuardedClient({ resolve: () => new Promise(() => undefined) })

    const outcome = await refusal(client.request(get('http://slow.example/', { timeoutMs: 50 })))

    expect(outcome.code).toBe('timed_out')
  })

  it('is never more than the limit of the client', async () => {
    const server = await serve(() => undefined)
    const client = clientFor(server, { limits: { totalMs: 50 } })

    expect(await refusal(client.request(get(server.origin, { timeoutMs: 60_000 })))).toMatchObject({
      message: 'no whole answer came within 0.05 s',
    })
  })

  it('ends when the call is interrupted', async () => {
    const controller = new AbortController()
    const server = await serve((_request, response) => {
      response.writeHead(200).write('half')
      controller.abort()
    })

    const outcome = await refusal(clientFor(server).request(get(server.origin, { signal: controller.signal })))
    const before = await refusal(clientFor(server).request(get(server.origin, { signal: AbortSignal.abort() })))

    expect([outcome.code, before.code]).toEqual(['interrupted', 'interrupted'])
    expect(server.connections()).toBe(1)
  })
})

describe('the limits of a client', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])('are no %d', (idleMs) => {
    expect(() => createGuardedClient({ limits: { idleMs } })).toThrow(
      'createGuardedClient: the definition is not valid (limits.idleMs)',
    )
  })
})

describe('the head of an answer', () => {
  it('is capped', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const write = () => {
        while (!socket.destroyed && socket.write(`x-${'y'.repeat(1_000)}: SENTINEL\r\n`));
      }
      socket.on('drain', write)
      write()
    })

    const outcome = await refusal(clientFor(server).request(get(server.origin)))

    expect(outcome).toEqual({ code: 'headers_too_large', message: 'the head of the answer of 127.0.0.1 is too large' })
  })

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH SENTINEL\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nSENTINEL'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nSENTINEL'],
  ])('is refused when it is %s', async (_name, bytes) => {
    const server = await serveRaw((socket) => socket.end(bytes))

    const outcome = await refusal(clientFor(server).request(get(server.origin)))

    expect(outcome).toEqual({ code: 'request_failed', message: 'request failed: GET 127.0.0.1' })
  })
})

describe('a redirect', () => {
  it('is followed within its origin, at most ten times', async () => {
    const server = await serve((request, response) => {
      const step = Number(request.url?.slice(1))
      if (step === 0) response.end('arrived')
      else response.writeHead(302, { location: `${step - 1}` }).end()
    })
    const client = clientFor(server)

    expect(bodyText(await client.request(get(`${server.origin}/10`)))).toBe('arrived')
    expect(await refusal(client.request(get(`${server.origin}/11`)))).toEqual({
      code: 'too_many_redirects',
      message: '127.0.0.1 redirects more than 10 times',
    })
  })

  it.each([
    ['another host', 'http://other.example/p?q=SENTINEL', 'the host other.example'],
    ['another port', 'http://127.0.0.1:1/p?q=SENTINEL', 'itself under another scheme or port'],
    ['another scheme', '//x@169.254.169.254/SENTINEL', 'a URL that cannot be followed'],
    ['a metadata service', '//169.254.169.254/SENTINEL', 'the host 169.254.169.254'],
    ['a file', 'file:///etc/passwd', 'a URL that cannot be followed'],
    ['data', 'data:text/plain,SENTINEL', 'a URL that cannot be followed'],
  ])('to %s is blocked, and only the host is named', async (_name, location, told) => {
    const server = await serve((_request, response) => response.writeHead(302, { location }).end())

    const { code, message } = await refusal(clientFor(server).request(get(server.origin)))

    expect(code).toBe('redirect_blocked')
    expect(message).toContain(`127.0.0.1 redirects to ${told}`)
    expect(message).not.toContain('SENTINEL')
  })

  it.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'data'],
    [308, 'POST', 'data'],
  ])('with status %d goes on with %s', async (status, method, body) => {
    const server = await serve((request, response) => {
      if (request.url === '/') response.writeHead(status, { location: '/next' }).end()
      else response.end()
    })

    await clientFor(server).request(get(server.origin, { method: 'POST', body: 'data' }))

    expect(server.seen[1]).toMatchObject({ method, body })
  })

  it('without a place to go to is an answer as any other', async () => {
    const server = await serve((_request, response) => response.writeHead(302).end('look around'))

    const answer = await clientFor(server).request(get(server.origin))

    expect([answer.status, bodyText(answer)]).toEqual([302, 'look around'])
  })
})
