import type { InferenceRequest } from '../../client/request.ts'
import type { Placed, Turn } from './arrange-turns.ts'

/** How long the provider keeps what it cached, counted from the last use. */
export type CacheLifetime = '5m' | '1h'

/** One encoded message, as far as it matters for what is cached. */
export interface Cacheable extends Placed {
  /** Whether a cache marker may stand on the last part. */
  readonly mayEndCached: boolean
}

/**
 * Chooses the messages up to where the provider may cache, as positions in the list that they came from: the last that
 * the next request sends again, and the one of the user before it, since a lookup reaches back only so far. `undefined`
 * where nothing at all may be cached: for a model without `promptCaching`, and where instructions of this request alone
 * would change everything that follows.
 */
export function chooseCachePoints(
  { model, messages, transientMessages = 0 }: InferenceRequest,
  pieces: readonly Cacheable[],
  turns: readonly Turn[],
): ReadonlySet<number> | undefined {
  if (model.capabilities?.promptCaching !== true) return undefined
  const committed = Math.max(0, messages.length - transientMessages)
  for (const piece of pieces.slice(committed))
    if (piece.place === 'system' && piece.parts.trim() !== '') return undefined

  const chosen = new Set<number>()
  for (let at = turns.length - 1; at >= 0 && chosen.size < 2; at -= 1) {
    const turn = turns[at]
    if (turn === undefined || (chosen.size === 1 && turn.role !== 'user')) continue
    const index = [...turn.results, ...turn.others].findLast((position) => position < committed)
    if (index !== undefined && pieces[index]?.mayEndCached === true) chosen.add(index)
  }
  return chosen
}
