import type { InferenceRequest } from '@looprig/inference'
import type { Clock } from '../clock/clock.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import type { ContextPolicy } from './context-policy.ts'

/** The count of a request, or that there is none: the counter failed, took too long or said no number. */
export type Counted = number | 'failed'

/** Asks a policy's counter, for as long as the policy allows. Never throws. */
export async function countTokens(
  { counter, countTimeoutMs }: ContextPolicy,
  request: InferenceRequest,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<Counted> {
  if (counter === undefined) return 'failed'
  const own = new AbortController()
  const stop = () => own.abort()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const cancelTimer = clock.setTimer(countTimeoutMs, stop)
  try {
    // a counter may throw before it returns a promise
    const asked = Promise.resolve().then(() => counter.count(request, { signal: own.signal }))
    const counted: unknown = await untilAborted(asked, own.signal)
    return typeof counted === 'number' && Number.isSafeInteger(counted) && counted >= 0 ? counted : 'failed'
  } catch {
    return 'failed'
  } finally {
    cancelTimer()
    signal.removeEventListener('abort', stop)
    own.abort()
  }
}
