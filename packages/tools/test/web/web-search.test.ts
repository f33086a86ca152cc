import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@looprig/core'
import { buildTools } from '@looprig/tools'
import { runToolConformance } from '@looprig/tools/testing'
import {
  createDuckDuckGoSearch,
  createFixedSearch,
  createGuardedClient,
  fetchDefinition,
  type SearchProvider,
  webSearchDefinition,
  webToolCodes,
} from '@looprig/tools/web'
import { describe, expect, it } from 'vitest'
import { readResultPage } from '../../src/web/search/duckduckgo-page.ts'
import { buildTool, callTool, newContext, newIdentity, textOfResult } from '../support/call-tool.ts'
import { contentOf } from './call-fetch.ts'
import { clientFor, refusal } from './client-fixture.ts'
import { serve } from './local-server.ts'

const result = { title: 'One', url: 'https://one.example/', snippet: 'The first' }

runToolConformance(
  webSearchDefinition({ provider: createFixedSearch([result]) }),
  [
    {
      name: 'a search',
      codes: webToolCodes,
      open: () => {
        const provider = createFixedSearch([result])
        return {
          definition: webSearchDefinition({ provider }),
          args: { query: 'fish' },
          observe: () => provider.asked.length,
        }
      },
    },
    {
      name: 'a provider that fails',
      codes: webToolCodes,
      fails: 'search_failed',
      sentinels: ['SENTINEL'],
      open: () => {
        const provider = createFixedSearch(() => Promise.reject(new Error('https://x.example/?key=SENTINEL')))
        return { definition: webSearchDefinition({ provider }), args: { query: 'fish' } }
      },
    },
  ],
  { describe, it },
)

const savedPage = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')

function searchWith(provider: SearchProvider, args: JsonObject = {}, signal?: AbortSignal) {
  return callTool(webSearchDefinition({ provider }), '/', { query: 'fish', ...args }, signal)
}

describe('building WebSearch', () => {
  it.each([[undefined], [{}], [{ provider: null }], [{ provider: { endpoints: [{ host: 'a', port: 1 }] } }]])(
    'without a provider fails as a missing dependency: %j',
    async (deps) => {
      await expect(buildTools(webSearchDefinition(deps as never), newIdentity())).rejects.toMatchObject({
        code: 'missing_dependency',
        dependency: 'provider',
      })
    },
  )

  it.each([
    ['none', []],
    ['no list', 'search.example:443'],
    ['no host', [{ port: 443 }]],
    ['a port that is none', [{ host: 'a.example', port: 70_000 }]],
    ['a port of 0', [{ host: 'a.example', port: 0 }]],
    ['a URL', [{ host: 'https://a.example', port: 443 }]],
    ['a path', [{ host: 'a.example/x', port: 443 }]],
    ['one of two that is none', [{ host: 'a.example', port: 443 }, null]],
    ['too many', Array.from({ length: 9 }, (_, index) => ({ host: `a${index}.example`, port: 443 }))],
  ])('with endpoints that are %s fails', async (_name, endpoints) => {
    const provider = { endpoints, search: async () => [] } as unknown as SearchProvider

    await expect(buildTools(webSearchDefinition({ provider }), newIdentity())).rejects.toMatchObject({
      code: 'invalid_definition',
      dependency: 'provider.endpoints',
    })
  })
})

describe('preparing WebSearch', () => {
  it('needs the network at each distinct endpoint', async () => {
    const provider: SearchProvider = {
      endpoints: [
        { host: 'Search.Example.', port: 443 },
        { host: 'search.example', port: 443 },
        { host: '2606:4700::1', port: 8443 },
      ],
      search: async () => [],
    }
    const tool = await buildTool(webSearchDefinition({ provider }), '/')

    const { request, artifact } = await tool.prepareCall(newContext(), '{"query":" two fish ","results":50}')

    expect(request.requirements).toEqual(
      ['search.example:443', '2606:4700::1:8443'].map((endpoint) => ({
        kind: 'network',
        scope: '',
        match: `tcp://${endpoint}`,
        description: `search at ${endpoint}`,
        candidates: [{ kind: 'network', match: `tcp://${endpoint}`, description: `network egress to ${endpoint}` }],
      })),
    )
    expect(artifact).toEqual({ query: 'two fish', results: 10 })
    expect([request.summary, tool.auditSummary(artifact)]).toEqual([
      'search the web for two fish',
      'WebSearch: two fish',
    ])
  })

  it('asks for what one saved rule for a host and a port meets, and Fetch asks for the same', async () => {
    const search = await buildTool(webSearchDefinition({ provider: createFixedSearch([]) }), '/')
    const fetch = await buildTool(fetchDefinition({ client: createGuardedClient() }), '/')

    const [one, other] = await Promise.all([
      search.prepareCall(newContext(), '{"query":"x"}'),
      fetch.prepareCall(newContext(), '{"url":"https://search.example/any?q=x","method":"GET"}'),
    ])

    const saved = one.request.requirements[0]?.candidates
    expect(saved).toEqual([
      { kind: 'network', match: 'tcp://search.example:443', description: 'network egress to search.example:443' },
    ])
    expect(other.request.requirements[0]?.candidates).toEqual(saved)
  })

  it.each([[''], ['  '], ['a\nb'], ['a\0'], ['x'.repeat(1_001)]])('refuses the query %j', async (query) => {
    const tool = await buildTool(webSearchDefinition({ provider: createFixedSearch([]) }), '/')

    expect(await refusal(tool.prepareCall(newContext(), JSON.stringify({ query })))).toMatchObject({
      code: 'invalid_arguments',
    })
  })
})

describe('the result of WebSearch', () => {
  it('is a marked, numbered list', async () => {
    const provider = createFixedSearch([result, { title: 'Two', url: 'http://two.example/?a=b', snippet: '' }])

    const found = await searchWith(provider)

    expect(contentOf(found)).toBe(
      '1. One\n   https://one.example/\n   The first\n\n2. Two\n   http://two.example/?a=b\n',
    )
    expect(provider.asked).toEqual(['fish'])
  })

  it('says that nothing was found', async () => {
    expect(textOfResult(await searchWith(createFixedSearch([])))).toBe('No results found.')
  })

  it('keeps each result within its bounds, in lines of its own, whatever a provider gives', async () => {
    const hostile = [
      {
        title: `\u001b[31m\u202eA\n2. forged${'x'.repeat(9_000)}`,
        url: 'https://a.example/',
        snippet: 'y'.repeat(100_000),
      },
      { title: 'runs code', url: 'javascript:alert(1)', snippet: '' },
      { title: 'breaks out', url: 'https://b.example/\n3. forged', snippet: '' },
      { title: 7, url: 'https://c.example/', snippet: '' },
      null,
      { title: 'long', url: `https://d.example/${'x'.repeat(3_000)}`, snippet: '' },
      { title: '\u200b', url: 'https://e.example/', snippet: 'last' },
    ] as unknown as SearchResultList

    const text = contentOf(
      await searchWith(
        createFixedSearch(() => hostile),
        { results: 10 },
      ),
    )

    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(7)
    expect(lines[0]).toMatch(/^1\. A 2\. forgedx+…$/)
    expect(lines.slice(4)).toEqual(['2. (no title)', '   https://e.example/', '   last'])
    expect(Buffer.byteLength(text)).toBeLessThan(2_000)
  })

  it('holds no more results than were asked for', async () => {
    const many = Array.from({ length: 50 }, () => result)

    expect(
      contentOf(
        await searchWith(
          createFixedSearch(() => many),
          { results: 2 },
        ),
      ).match(/^\d+\./gm),
    ).toEqual(['1.', '2.'])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('SENTINEL')
      },
    ],
    ['gives no list', () => 'SENTINEL'],
    ['gives nothing', () => undefined],
  ])('is a generic error when the provider %s', async (_name, answer) => {
    const found = await searchWith(createFixedSearch(answer as never))

    expect([found.code, textOfResult(found)]).toEqual(['search_failed', 'web search failed'])
  })

  it('is an interruption when the call is interrupted', async () => {
    const controller = new AbortController()
    const provider = createFixedSearch(() => {
      controller.abort()
      return new Promise(() => undefined)
    })

    expect(await searchWith(provider, {}, controller.signal)).toMatchObject({ isError: true, code: 'interrupted' })
  })
})

type SearchResultList = Awaited<ReturnType<SearchProvider['search']>>

describe('a search at DuckDuckGo', () => {
  const answering = (page: string, status = 200) =>
    serve((_request, response) => response.writeHead(status, { 'content-type': 'text/html; charset=UTF-8' }).end(page))

  async function searchPage(page: string, status?: number, args: JsonObject = {}) {
    const server = await answering(page, status)
    const provider = createDuckDuckGoSearch({ client: clientFor(server), pageUrl: `${server.origin}/html/` })
    return { server, provider, found: await searchWith(provider, { query: 'fish & chips?', ...args }) }
  }

  it('asks one page by its query, and names its one endpoint', async () => {
    const { server, provider } = await searchPage(savedPage('results.html'))

    expect(server.seen.map(({ method, url }) => [method, url])).toEqual([['GET', '/html/?q=fish+%26+chips%3F']])
    expect(server.seen[0]?.headers['user-agent']).toBe('looprig-websearch/1.0')
    expect(provider.endpoints).toEqual([{ host: '127.0.0.1', port: server.port }])
    expect(createDuckDuckGoSearch({ client: createGuardedClient() }).endpoints).toEqual([
      { host: 'html.duckduckgo.com', port: 443 },
    ])
  })

  it('reads titles, targets and texts, and leaves advertisements out', async () => {
    const { found } = await searchPage(savedPage('results.html'))

    expect(contentOf(found)).toBe(
      [
        '1. All about fish & chips\n   https://one.example/fish?a=1&b=2\n   The fish is a "cold" animal.',
        '2. Direct link\n   https://two.example/\n   A snippet in a box',
        '3. Third\n   http://three.example/\n',
      ].join('\n\n'),
    )
  })

  it('stops at the number of results', async () => {
    const { found } = await searchPage(savedPage('results.html'), 200, { results: 1 })

    expect(contentOf(found)).toBe(
      '1. All about fish & chips\n   https://one.example/fish?a=1&b=2\n   The fish is a "cold" animal.\n',
    )
  })

  it('tells a page without results from a page that is none', async () => {
    const none = await searchPage(savedPage('no-results.html'))
    const challenge = await searchPage(savedPage('challenge.html'))
    const accepted = await searchPage(savedPage('results.html'), 202)
    const broken = await searchPage('', 500)

    expect(textOfResult(none.found)).toBe('No results found.')
    for (const { found } of [challenge, accepted, broken]) expect(found).toMatchObject({ code: 'search_failed' })
  })

  it('fails without detail when it is redirected to another host, and sends nothing there', async () => {
    const other = await answering(savedPage('results.html'))
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: `${other.origin}/SENTINEL` }).end(),
    )
    const client = createGuardedClient({ allowPrivateHosts: [server.host, other.host] })
    const provider = createDuckDuckGoSearch({ client, pageUrl: `${server.origin}/html/` })

    const found = await searchWith(provider)

    expect([found.code, textOfResult(found)]).toEqual(['search_failed', 'web search failed'])
    expect(other.connections()).toBe(0)
  })

  it('refuses to be made without a client', () => {
    expect(() => createDuckDuckGoSearch(undefined as never)).toThrow('a dependency is missing (client)')
  })

  it('reads whatever comes without an error', () => {
    const page = savedPage('results.html')
    for (let at = 0; at < page.length; at += 7) {
      const broken = page.slice(0, at) + page.slice(at + (at % 13))
      const { results } = readResultPage(broken, 10)
      expect(results.length).toBeLessThanOrEqual(10)
    }
    expect(readResultPage('<a class=result__a href=http://a.example/>'.repeat(50_000), 10).results).toHaveLength(10)
    expect(
      readResultPage(`<a class=result__a href=//duckduckgo.com/l/?uddg=%>${'x'.repeat(1 << 20)}`, 10).results,
    ).toEqual([])
  })
})
