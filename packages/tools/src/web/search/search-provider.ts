import type { NetworkEndpoint } from '../network-requirement.ts'

/** One search. */
export interface SearchQuery {
  readonly text: string
  /** From 1 to 10. */
  readonly maxResults: number
  /** Aborted when the search is interrupted or its time is over. */
  readonly signal: AbortSignal
}

/** One result. All of it is text from outside: whoever shows it cleans and bounds it. */
export interface SearchResult {
  readonly title: string
  /** Absolute, http or https. */
  readonly url: string
  readonly snippet: string
}

/**
 * Searches the web. It sends to its endpoints and to nothing else, also where an answer leads elsewhere: it rejects
 * then. What it rejects with is told to nobody.
 */
export interface SearchProvider {
  /** All that it connects to: at least one, at most 8; they never change. A person approves these. */
  readonly endpoints: readonly NetworkEndpoint[]
  /** The best results first; an empty list where there are none. */
  search(query: SearchQuery): Promise<readonly SearchResult[]>
}
