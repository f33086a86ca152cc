import type { Session } from '@looprig/harness'

/**
 * Why the program leaves before it is done: a signal, the reader of its output who left (as `| head` does), or an
 * output that cannot be written, for example on a full disk.
 */
export type LeaveReason = 'interrupted' | 'output_closed' | 'output_failed'

/**
 * What signals ask for. The first interrupt ends the running turn, one more while that lasts ends the program at once;
 * with no turn to end, an interrupt leaves.
 */
export class StopRequests {
  readonly #exitNow: () => void
  readonly #now: () => number
  readonly #leaving = new AbortController()
  #reason: LeaveReason | undefined
  #session: Pick<Session, 'interrupt'> | undefined
  #signalledAt = Number.NEGATIVE_INFINITY
  #interrupting = false

  constructor(exitNow: () => void, now: () => number = () => performance.now()) {
    this.#exitNow = exitNow
    this.#now = now
  }

  /** Aborted when the program should shut down. */
  get signal(): AbortSignal {
    return this.#leaving.signal
  }

  /** Set once the program should shut down. */
  get reason(): LeaveReason | undefined {
    return this.#reason
  }

  /** Whose turns interrupts end from now on; without one they end the program. */
  attach(session: Pick<Session, 'interrupt'> | undefined): void {
    this.#session = session
  }

  /** SIGINT, or Ctrl-C in raw mode. */
  interrupt(): void {
    if (this.#isEcho()) return
    if (this.#session === undefined || this.#interrupting || this.signal.aborted) this.#exitNow()
    else this.#interruptTurn(this.#session).catch(this.#exitNow)
  }

  /** SIGTERM or SIGHUP: leaves in order; a second one ends the program at once. */
  terminate(): void {
    if (this.#isEcho()) return
    if (this.#session === undefined || this.signal.aborted) this.#exitNow()
    else this.leave('interrupted')
  }

  /** Asks for an orderly end. */
  leave(reason: LeaveReason): void {
    this.#reason ??= reason
    this.#leaving.abort()
  }

  async #interruptTurn(session: Pick<Session, 'interrupt'>): Promise<void> {
    this.#interrupting = true
    const interrupted = await session.interrupt()
    this.#interrupting = false
    if (!interrupted) this.leave('interrupted')
  }

  #isEcho(): boolean {
    const now = this.#now()
    if (now - this.#signalledAt < sameKeyMs) return true
    this.#signalledAt = now
    return false
  }
}

/** npm passes Ctrl-C on to a program that the terminal has told already: two signals, one key. */
const sameKeyMs = 200
