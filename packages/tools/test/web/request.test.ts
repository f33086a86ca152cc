import { createGuardedClient } from '@looprig/tools/web'
import { describe, expect, it } from 'vitest'
import { clientFor, get, refusal } from './client-fixture.ts'
import { serve } from './local-server.ts'

describe('a request', () => {
  it('shares no connection with another one', async () => {
    const server = await serve((_request, response) => response.end('x'))
    const client = clientFor(server)

    await client.request(get(server.origin))
    await client.request(get(server.origin))

    expect(server.connections()).toBe(2)
  })

  it('sends its headers and body', async () => {
    const server = await serve((_request, response) => response.end())
    const headers = { 'X-One': 'a b', constructor: 'c', Accept: 'text/html', 'content-type': 'application/json' }

    await clientFor(server).request(get(server.origin, { method: 'POST', headers, body: '{"a":"ü"}' }))

    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      body: '{"a":"ü"}',
      headers: {
        'x-one': 'a b',
        constructor: 'c',
        accept: 'text/html',
        'content-type': 'application/json',
        'user-agent': 'looprig-web/1.0',
      },
    })
  })

  it.each([
    ['Host', 'evil.example'],
    ['Connection', 'keep-alive'],
    ['Content-Length', '5'],
    ['Transfer-Encoding', 'chunked'],
    ['Proxy-Authorization', 'Basic SENTINEL'],
    ['Upgrade', 'websocket'],
    ['Expect', '100-continue'],
    ['bad name', 'x'],
    ['x-split', 'a\r\nevil: SENTINEL'],
    ['x-null', 'a\0SENTINEL'],
    ['x-wide', '世界'],
    ['', 'x'],
    ['__proto__', 'x'],
  ])('with the header %j is refused before anything is sent', async (name, value) => {
    const server = await serve((_request, response) => response.end())

    const outcome = await refusal(
      clientFor(server).request(get(server.origin, { headers: Object.fromEntries([[name, value]]) })),
    )

    expect(outcome.code).toBe('invalid_headers')
    expect(outcome.message).not.toContain('SENTINEL')
    expect(server.connections()).toBe(0)
  })

  it.each([
    ['a user name', 'http://user:SENTINEL@example.com/'],
    ['another scheme', 'ftp://example.com/SENTINEL'],
    ['a file', 'file:///SENTINEL'],
    ['no host', 'http:///'],
    ['port 0', 'http://example.com:0/SENTINEL'],
    ['a port that is none', 'http://example.com:99999/SENTINEL'],
    ['a relative path', '/SENTINEL'],
    ['a line break', 'http://example.com/\nSENTINEL'],
    ['a space', 'http://example.com/a SENTINEL'],
    ['two dots at the end', 'http://example.com../'],
    ['an empty label', 'http://a..b/'],
    ['a zone', 'http://[fe80::1%25eth0]/'],
    ['too much text', `http://example.com/${'x'.repeat(8_192)}`],
    ['nothing', ''],
  ])('to a URL with %s is refused', async (_name, url) => {
    const { code, message } = await refusal(createGuardedClient().request(get(url)))

    expect(code).toBe('invalid_url')
    expect(message).not.toContain('SENTINEL')
  })

  it.each([22, 25, 6667])('to port %d is refused, as browsers do, unless the host is named', (port) => {
    const url = `http://example.com:${port}/`

    expect(() => createGuardedClient().checkUrl(url)).toThrow(`port ${port} is not one that web requests go to`)
    createGuardedClient({ allowPrivateHosts: [`example.com:${port}`] }).checkUrl(url)
  })

  it('that nobody takes tells no more than its host', async () => {
    const server = await serve((_request, response) => response.end())
    const client = createGuardedClient({ allowPrivateHosts: ['127.0.0.3:9'] })

    expect(server.port).toBeGreaterThan(0)
    expect(await refusal(client.request(get('http://127.0.0.3:9/p?q=SENTINEL')))).toEqual({
      code: 'request_failed',
      message: 'request failed: GET 127.0.0.3',
    })
  })
})
