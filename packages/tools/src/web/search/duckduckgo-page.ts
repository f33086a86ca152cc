import { decodeEntities } from '../html/decode-entities.ts'
import { htmlTokens } from '../html/html-token.ts'
import type { SearchResult } from './search-provider.ts'

/** What a page of results says. */
export interface ResultPage {
  readonly results: readonly SearchResult[]
  /** It says that there are none; a page without results that does not is another page. */
  readonly isEmpty: boolean
}

/** The most links of a page that are looked at. */
const maxLinks = 200

/** The most characters of one text of a page that are kept. */
const maxTextLength = 4_096

/**
 * Reads a page of results: links with the class `result__a`, each followed by an element with `result__snippet`. Takes
 * whatever comes; never throws. Advertisements and what has no target are left out.
 */
export function readResultPage(html: string, maxResults: number): ResultPage {
  const results: { title: string; url: string | undefined; snippet: string }[] = []
  let reading: { readonly into: 'title' | 'snippet'; readonly until: string } | undefined
  let isEmpty = false
  let found = 0
  for (const token of htmlTokens(html)) {
    const current = results.at(-1)
    if (token.kind === 'open') {
      const classes = (token.attributes.get('class') ?? '').split(/\s+/)
      if (classes.includes('no-results') || classes.includes('result--no-result')) isEmpty = true
      if (classes.includes('result__a')) {
        if (found === maxResults || results.length === maxLinks) break
        const url = targetOf(token.attributes.get('href') ?? '')
        if (url !== undefined) found += 1
        results.push({ title: '', url, snippet: '' })
        reading = { into: 'title', until: token.name }
      } else if (classes.includes('result__snippet')) reading = { into: 'snippet', until: token.name }
    } else if (token.kind === 'close') {
      if (token.name === reading?.until) reading = undefined
    } else if (token.kind === 'text' && reading !== undefined && current !== undefined) {
      const kept = current[reading.into]
      if (kept.length < maxTextLength) current[reading.into] = kept + token.text.slice(0, maxTextLength)
    }
  }
  return { results: results.flatMap(complete).slice(0, maxResults), isEmpty }
}

function complete({
  title,
  url,
  snippet,
}: {
  title: string
  url: string | undefined
  snippet: string
}): SearchResult[] {
  return url === undefined ? [] : [{ title: decodeEntities(title), url, snippet: decodeEntities(snippet) }]
}

/** Where a result leads, out of the link that counts clicks; undefined for what is none. */
function targetOf(href: string): string | undefined {
  const link = webUrl(decodeEntities(href), 'https://duckduckgo.com')
  if (link === undefined || !isOwnHost(link.hostname)) return link?.href
  if (link.pathname !== '/l/') return undefined
  const target = webUrl(link.searchParams.get('uddg') ?? '')
  // an advertisement counts its clicks a second time
  return target === undefined || isOwnHost(target.hostname) ? undefined : target.href
}

function isOwnHost(host: string): boolean {
  return host === 'duckduckgo.com' || host.endsWith('.duckduckgo.com')
}

function webUrl(text: string, base?: string): URL | undefined {
  if (!URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined
}
