import type { SupervisedProcess } from './supervised-process.ts'
import { WakeSignal } from './wake-signal.ts'

/** What a call waits for. Undefined stands for a process that there is not: nothing to wait for. */
export interface WaitRequest {
  readonly processes: readonly (SupervisedProcess | undefined)[]
  /** `poll` does not wait; `any` and `all` wait for news of one or of each: output past the cursor, or the end. */
  readonly kind: 'poll' | 'any' | 'all'
  readonly cursor: number
  /** Undefined: as long as the signal lets. */
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignal
}

/** Where calls wait for processes: so many at once, woken and never polling. */
export class WaitingRoom {
  limit = 64
  #waiting = 0

  /** Resolves when there is news, time is over or there is no room; never rejects. Look at the processes afterwards. */
  async wait(request: WaitRequest): Promise<void> {
    if (request.kind === 'poll' || isSatisfied(request) || this.#waiting >= this.limit) return
    this.#waiting += 1
    const limit = new AbortController()
    const { timeoutMs, signal } = request
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => limit.abort(), timeoutMs)
    const either = AbortSignal.any([signal, limit.signal])
    try {
      while (!isSatisfied(request) && !either.aborted) await WakeSignal.next(sources(request), either)
    } finally {
      clearTimeout(timer)
      this.#waiting -= 1
    }
  }
}

function isSatisfied({ processes, kind, cursor }: WaitRequest): boolean {
  const hasNews = (process: SupervisedProcess | undefined) =>
    process === undefined || process.isOver || process.totalBytes > cursor
  return kind === 'all' ? processes.every(hasNews) : processes.some(hasNews)
}

function sources({ processes }: WaitRequest): WakeSignal[] {
  return processes.flatMap((process) => (process === undefined ? [] : [process.news]))
}
