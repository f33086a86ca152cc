import { boundedLine } from '../text/bounded-line.ts'
import type { SearchResult } from './search-provider.ts'

/** The most bytes of each part of a result. */
const maxTitleBytes = 300
const maxUrlBytes = 2_048
const maxSnippetBytes = 1_000

/**
 * Shows results as a numbered list. What a provider gives is taken for what it is: text from outside, of any shape. A
 * result without a web address is left out.
 */
export function showResults(results: readonly SearchResult[], maxResults: number): string {
  return results
    .filter(isResult)
    .slice(0, maxResults)
    .map(({ title, url, snippet }, index) => {
      const lines = [`${index + 1}. ${boundedLine(title, maxTitleBytes) || '(no title)'}`, `   ${url}`]
      const text = boundedLine(snippet, maxSnippetBytes)
      return (text === '' ? lines : [...lines, `   ${text}`]).join('\n')
    })
    .join('\n\n')
}

function isResult(result: SearchResult): boolean {
  const texts = [result?.title, result?.url, result?.snippet]
  return texts.every((text) => typeof text === 'string') && isShownUrl(result.url)
}

/** A URL that can stand in a line as it is; a longer one would be data. */
function isShownUrl(url: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/.test(url) && url.length <= maxUrlBytes && URL.canParse(url)
}
