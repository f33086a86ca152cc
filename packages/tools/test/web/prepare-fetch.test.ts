import { buildTools } from '@looprig/tools'
import { createGuardedClient, fetchDefinition } from '@looprig/tools/web'
import { describe, expect, it } from 'vitest'
import { newIdentity } from '../support/call-tool.ts'
import { prepareFetch } from './call-fetch.ts'
import { refusal } from './client-fixture.ts'
import { serve } from './local-server.ts'

/** A server that answers every request with nothing. */
const answering = () => serve((_request, response) => response.end())

describe('preparing Fetch', () => {
  it('needs the network at one host and port, and shows no path or query outside the preview', async () => {
    const server = await serve((_request, response) => response.end())
    const url = `HTTP://LOCALHOST.:8080/SENTINEL/../path?q=SENTINEL#SENTINEL`

    const client = createGuardedClient({ allowPrivateHosts: [server.host] })
    const [tool] = await buildTools(fetchDefinition({ client }), newIdentity())
    const prepared = await tool?.prepareCall(
      { executionId: '' as never, toolUseId: '', signal: new AbortController().signal },
      JSON.stringify({ url, method: ' get ' }),
    )

    expect(prepared?.request).toEqual({
      toolName: 'Fetch',
      summary: 'GET http://localhost:8080',
      requirements: [
        {
          kind: 'network',
          scope: '',
          match: 'tcp://localhost:8080',
          description: 'GET localhost:8080',
          candidates: [
            { kind: 'network', match: 'tcp://localhost:8080', description: 'network egress to localhost:8080' },
          ],
        },
      ],
    })
    expect(prepared?.artifact).toEqual({
      method: 'GET',
      url: 'http://localhost:8080/path?q=SENTINEL',
      scheme: 'http',
      host: 'localhost',
      port: 8080,
      headers: {},
      body: '',
      timeout: 30,
    })
    expect(tool?.auditSummary(prepared?.artifact ?? null)).toBe('GET localhost')
  })

  it.each([
    ['https://EXAMPLE.com/a', 'tcp://example.com:443', 'https://example.com/a'],
    ['http://example.com:80', 'tcp://example.com:80', 'http://example.com/'],
    ['https://example.com:8443/', 'tcp://example.com:8443', 'https://example.com:8443/'],
    ['https://bücher.example/', 'tcp://xn--bcher-kva.example:443', 'https://xn--bcher-kva.example/'],
    ['http://[2606:4700:4700:0:0:0:0:1111]/', 'tcp://2606:4700:4700::1111:80', 'http://[2606:4700:4700::1111]/'],
    ['http:\\\\example.com\\@evil.example', 'tcp://example.com:80', 'http://example.com/@evil.example'],
  ])('normalises %s once', async (url, match, canonical) => {
    const { prepared } = await prepareFetch(await answering(), { url })

    expect(prepared.request.requirements[0]?.match).toBe(match)
    expect(prepared.artifact).toMatchObject({ url: canonical })
  })

  it('shows who decides all that is sent, but no secret header', async () => {
    const { prepared } = await prepareFetch(await answering(), {
      url: 'https://example.com/a?b=c',
      method: 'POST',
      headers: { Authorization: 'Bearer SENTINEL', 'X-Api-Key': 'SENTINEL', Accept: 'text/plain' },
      body: 'line\u001b[2K\u202eend',
    })

    expect(prepared.preview).toEqual({
      kind: 'text',
      text: 'POST https://example.com/a?b=c\nauthorization: (hidden)\nx-api-key: (hidden)\naccept: text/plain\n\nlineend',
    })
  })

  it.each([
    [{ url: 'http://169.254.169.254/' }, 'address_denied'],
    [{ url: 'http://[::ffff:10.0.0.1]/' }, 'address_denied'],
    [{ url: 'http://2130706433/' }, 'address_denied'],
    [{ url: 'http://example.com:25/' }, 'port_denied'],
    [{ url: 'http://u:SENTINEL@example.com/' }, 'invalid_url'],
    [{ url: 'file:///SENTINEL' }, 'invalid_url'],
    [{ url: '' }, 'invalid_arguments'],
    [{ url: 7 }, 'invalid_arguments'],
    [{ url: 'http://example.com/', method: 'DELETE' }, 'invalid_arguments'],
    [{ url: 'http://example.com/', method: '' }, 'invalid_arguments'],
    [{ url: 'http://example.com/', body: 'SENTINEL' }, 'invalid_arguments'],
    [{ url: 'http://example.com/', method: 'POST', body: 'SENTINEL'.repeat(40_000) }, 'invalid_arguments'],
    [{ url: 'http://example.com/', method: 'POST', body: 'SENTINEL\ud83d' }, 'invalid_arguments'],
    [{ url: 'http://example.com/', headers: { Host: 'SENTINEL' } }, 'invalid_headers'],
    [{ url: 'http://example.com/', headers: { a: 1 } }, 'invalid_arguments'],
    [{ url: 'http://example.com/', headers: 'SENTINEL' }, 'invalid_arguments'],
    [{ url: 'http://example.com/', timeout: 'SENTINEL' }, 'invalid_arguments'],
    [{ url: 'http://example.com/', timeout: 1.5 }, 'invalid_arguments'],
  ])('refuses %j as %s', async (args, code) => {
    const server = await answering()

    const outcome = await refusal(prepareFetch(server, args))

    expect(outcome.code).toBe(code)
    expect(outcome.message).not.toContain('SENTINEL')
    expect(server.connections()).toBe(0)
  })

  it.each([
    [undefined, 30],
    [0, 30],
    [-5, 30],
    [1, 1],
    [60, 60],
    [3_600, 60],
  ])('takes the timeout %s as %d seconds', async (timeout, seconds) => {
    const args = { url: 'http://example.com/', ...(timeout === undefined ? {} : { timeout }) }

    const { prepared } = await prepareFetch(await answering(), args)

    expect(prepared.artifact).toMatchObject({ timeout: seconds })
  })
})
