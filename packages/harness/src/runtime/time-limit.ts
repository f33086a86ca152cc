import { errorResult, type Tool, type ToolResult } from '@looprig/tools'
import type { Clock } from '../clock/clock.ts'

/** Who bounds some work, and by how much. */
export interface TimeLimit {
  readonly clock: Clock
  /** Ends the work from outside; the limit counts no more then. */
  readonly signal: AbortSignal
  readonly limitMs: number
  /** How long the work may take to end after its time; what it comes to then is dropped. */
  readonly graceMs: number
}

/** What work under a limit came to. `hasEnded`: it ended within the grace; else it may still be going on. */
export type Limited<T> =
  | { readonly isTimedOut: false; readonly value: T }
  | { readonly isTimedOut: true; readonly hasEnded: boolean }

/** One day; timers of more than 24 days fire at once. */
const maxLimitMs = 86_400_000

/** The time limit of a tool's calls, if it has one. A tool of a third party may say anything. */
export function timeLimitOf({ timeoutMs }: Tool): number | undefined {
  const isLimit = typeof timeoutMs === 'number' && timeoutMs > 0
  return isLimit ? Math.min(Math.ceil(timeoutMs), maxLimitMs) : undefined
}

/** Runs work with a signal of its own, which aborts when its time is over or `signal` aborts. */
export async function withinTime<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<Limited<T>> {
  const { clock, signal, limitMs, graceMs } = limit
  const own = new AbortController()
  const timers = new Set<() => void>()
  const wait = (ms: number) =>
    new Promise<'passed'>((resolve) => timers.add(clock.setTimer(ms, () => resolve('passed'))))
  const stopTimers = () => {
    for (const stop of timers) stop()
  }
  // an end from outside has a grace of its own
  const stop = () => {
    stopTimers()
    own.abort(signal.reason)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted) own.abort(signal.reason)
    const working = work(own.signal).then((value) => ({ value }))
    const first = await (signal.aborted ? working : Promise.race([working, wait(limitMs)]))
    if (first !== 'passed') return { isTimedOut: false, value: first.value }
    signal.removeEventListener('abort', stop)
    own.abort(new DOMException('the time of the call is over', 'TimeoutError'))
    const last = await Promise.race([working.catch(() => undefined), wait(graceMs)])
    return { isTimedOut: true, hasEnded: last !== 'passed' }
  } finally {
    signal.removeEventListener('abort', stop)
    stopTimers()
  }
}

/** The result of a call that had its time. */
export function timedOut(
  limitMs: number,
  call: { readonly replaySafe: boolean; readonly hasEnded: boolean },
): ToolResult {
  const text = `timed_out: the call was stopped after ${limitMs} ms.`
  if (call.replaySafe) return errorResult('timed_out', text)
  const outcome = call.hasEnded
    ? 'What it did until then may have happened.'
    : 'It did not end when it was told to: it may have happened, or may still happen.'
  return errorResult('timed_out', `${text} ${outcome} Check before you repeat it.`)
}
