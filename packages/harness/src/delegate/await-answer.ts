import type { Clock } from '../clock/clock.ts'
import type { StopReason } from '../runtime/turn-host.ts'
import type { TurnResult } from '../session/submission.ts'
import type { Errand } from './errand.ts'

/**
 * What waiting for an answer came to. `left`: the turn of the call is parked or its session faulted, so that nobody
 * asks any more.
 */
export type Awaited =
  | { readonly came: 'answer'; readonly answer: TurnResult }
  | { readonly came: 'timeout' }
  | { readonly came: 'left' }

/**
 * Waits until an agent has done what it was asked. When the turn that waits is stopped, the agent is stopped first: it
 * lives only while the call waits.
 *
 * @param timeoutMs - 0 for as long as it takes.
 */
export async function awaitAnswer(
  errand: Errand,
  clock: Clock,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Awaited> {
  if (errand.result !== undefined) return { came: 'answer', answer: errand.result }
  const over = new AbortController()
  const left = new Promise<Awaited>((resolve) => {
    const stop = () => {
      if (!stopErrand(errand, signal.reason)) resolve({ came: 'left' })
    }
    // a fault may come after the stop, and then what was stopped has no outcome
    errand.abandoned.then(
      () => resolve({ came: 'left' }),
      () => undefined,
    )
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true, signal: over.signal })
  })
  const timeout = new Promise<Awaited>((resolve) => {
    if (timeoutMs === 0) return
    const cancel = clock.setTimer(timeoutMs, () => resolve({ came: 'timeout' }))
    over.signal.addEventListener('abort', cancel, { once: true })
  })
  const answer = errand.outcome.then((result): Awaited => ({ came: 'answer', answer: result }))
  try {
    return await Promise.race([answer, left, timeout])
  } finally {
    over.abort()
  }
}

/**
 * Stops what an agent does for a call whose turn is being stopped; says whether that leads to an outcome. A parked turn
 * leaves its agents where they are, and after a fault nothing has an outcome any more.
 */
function stopErrand(errand: Errand, reason: unknown): boolean {
  if (reason === ('park' satisfies StopReason) || reason === ('fault' satisfies StopReason)) return false
  // what fails here has faulted the session: its loops end by themselves
  endErrand(errand, reason === ('shutdown' satisfies StopReason) ? 'shutdown' : 'interrupt').catch(() => undefined)
  return true
}

/** A request that waits behind another turn of the agent is dropped: nobody would read its answer. It may begin meanwhile. */
async function endErrand({ agent: { loop }, inputId }: Errand, reason: 'shutdown' | 'interrupt'): Promise<void> {
  const isAtWork = () => loop.turnOf(inputId) !== undefined
  if (!isAtWork()) await loop.drop(inputId)
  if (isAtWork()) await loop.stop(reason)
}
