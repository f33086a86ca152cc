/** All who watch the sessions of one store. */
import type { StoreError } from '../contract/errors.ts'
import type { WatchRequest } from '../contract/ledger.ts'
import { TipWatch } from './tip-watch.ts'

/** Where watchers learn of growth. */
export interface TipSource {
  /**
   * A watch of this session has begun: `grow` is called with its present tip, now or soon.
   *
   * @throws StoreError what ends the watch at once.
   */
  begun(session: string): void
  /** The last watch of the store has ended. */
  idle(): void
}

/** Hands tips to watchers; a store that learns of growth calls `grow`. */
export class Watchers {
  readonly #watches = new Map<string, Set<TipWatch>>()

  /** The sessions that somebody watches. */
  get sessions(): readonly string[] {
    return [...this.#watches.keys()]
  }

  /** A session has grown to `tip`; saying so late or twice does no harm. */
  grow(session: string, tip: number): void {
    for (const watch of this.#watches.get(session) ?? []) watch.grow(tip)
  }

  /** Ends every watch: it throws `error` when it is asked next. */
  fail(error: StoreError): void {
    for (const watches of this.#watches.values()) for (const watch of watches) watch.fail(error)
    this.#watches.clear()
  }

  /** The tips of one session; each iteration is a watch of its own. */
  tips(request: WatchRequest, source: TipSource): AsyncIterable<number> {
    return {
      [Symbol.asyncIterator]: () => {
        const watch = new TipWatch(request.after)
        const tips = this.#follow(watch, request, source)
        return {
          next: () => tips.next(),
          return: () => {
            // A generator takes no `return` while its `next` waits, so the waiting ends first.
            watch.end()
            return tips.return(undefined)
          },
        }
      },
    }
  }

  async *#follow(
    watch: TipWatch,
    { session, signal }: WatchRequest,
    source: TipSource,
  ): AsyncGenerator<number, undefined> {
    const end = () => {
      watch.end()
      this.#remove(session, watch, source)
    }
    if (signal?.aborted === true) return undefined
    signal?.addEventListener('abort', end)
    this.#add(session, watch)
    try {
      source.begun(session)
      for (let tip = await watch.next(); tip !== undefined; tip = await watch.next()) yield tip
    } finally {
      signal?.removeEventListener('abort', end)
      end()
    }
    return undefined
  }

  #add(session: string, watch: TipWatch): void {
    const watches = this.#watches.get(session) ?? new Set()
    this.#watches.set(session, watches.add(watch))
  }

  #remove(session: string, watch: TipWatch, source: TipSource): void {
    const watches = this.#watches.get(session)
    if (watches?.delete(watch) !== true) return
    if (watches.size === 0) this.#watches.delete(session)
    if (this.#watches.size === 0) source.idle()
  }
}
