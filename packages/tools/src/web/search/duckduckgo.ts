import type { WebClient } from '../client/web-client.ts'
import { parseTarget } from '../client/web-target.ts'
import { webError } from '../codes.ts'
import { requireClient } from '../require-client.ts'
import { readResultPage } from './duckduckgo-page.ts'
import type { SearchProvider } from './search-provider.ts'

/** What a search at DuckDuckGo is made with. */
export interface DuckDuckGoOptions {
  /** Sends the requests; `createGuardedClient` makes one. It keeps redirects within the endpoint. */
  readonly client: WebClient
  /** The page without script that lists results. Default `https://html.duckduckgo.com/html/`. */
  readonly pageUrl?: string | undefined
}

/** The most bytes of a page of results. */
const maxPageBytes = 1_048_576

const timeoutMs = 15_000

/**
 * Makes a provider over the DuckDuckGo page that needs no script and no key. It has one endpoint.
 *
 * @throws DefinitionBuildError `missing_dependency` without a client; ToolError `invalid_url` for a page that cannot be.
 */
export function createDuckDuckGoSearch(options: DuckDuckGoOptions): SearchProvider {
  const client = requireClient('createDuckDuckGoSearch', options?.client)
  const page = parseTarget(options.pageUrl ?? 'https://html.duckduckgo.com/html/')
  const provider: SearchProvider = {
    endpoints: Object.freeze([Object.freeze({ host: page.host, port: page.port })]),
    search: async ({ text, maxResults, signal }) => {
      const url = new URL(page.url)
      url.searchParams.set('q', text)
      const response = await client.request({
        url: url.href,
        method: 'GET',
        headers: { accept: 'text/html', 'accept-language': 'en', 'user-agent': 'looprig-websearch/1.0' },
        signal,
        timeoutMs,
        bodyLimit: ({ status }) => (status === 200 ? maxPageBytes : 0),
      })
      // 202 is the page that asks for a person
      if (response.status !== 200) throw failed()
      const { results, isEmpty } = readResultPage(Buffer.from(response.body).toString('utf8'), maxResults)
      if (results.length === 0 && !isEmpty) throw failed()
      return results
    },
  }
  return Object.freeze(provider)
}

function failed(): Error {
  return webError('search_failed', 'the search page is not one of results')
}
