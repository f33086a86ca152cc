import type { SearchProvider, SearchQuery, SearchResult } from './search-provider.ts'

/** A provider without a network, and what it was asked. */
export interface FixedSearch extends SearchProvider {
  /** The texts of its queries, in order. */
  readonly asked: readonly string[]
}

/**
 * Makes a provider that always gives the same results: for tests, and for runs without a network.
 *
 * @param results - or what makes them of a query; what it throws is a search that failed.
 * @param endpoint - what it says that it connects to. Default `search.example:443`.
 */
export function createFixedSearch(
  results:
    | readonly SearchResult[]
    | ((query: SearchQuery) => readonly SearchResult[] | Promise<readonly SearchResult[]>),
  endpoint: { readonly host: string; readonly port: number } = { host: 'search.example', port: 443 },
): FixedSearch {
  const asked: string[] = []
  return {
    endpoints: Object.freeze([Object.freeze({ ...endpoint })]),
    asked,
    search: async (query) => {
      asked.push(query.text)
      return typeof results === 'function' ? results(query) : results.slice(0, query.maxResults)
    },
  }
}
