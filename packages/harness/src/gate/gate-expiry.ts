import type { Clock } from '../clock/clock.ts'
import type { IdSource } from '../clock/id-source.ts'
import type { GateResolved } from '../event/gate-event.ts'
import type { Draft } from '../session/session-log.ts'
import { expiryOf, type GateDirectory } from './gate-directory.ts'
import type { OpenGate } from './open-gate.ts'

/** What the expiry of gates needs of its session. */
export interface GateExpiryParts {
  readonly gates: GateDirectory
  readonly clock: Clock
  readonly ids: IdSource
  /** See `LoopHost.works`. */
  works(): boolean
  commit(decide: () => Draft | undefined): Promise<void>
}

/** Timers of more than 24 days fire at once; a shorter one is set again. */
const maxTimerMs = 86_400_000
/** How long after a failed look at the store's time it is asked again. */
const retryMs = 1_000

/**
 * Ends the gates of a session whose time is over. The process' own clock only says when to look: the store's time
 * decides, and the gate's slot decides between the end and an answer. One timer, for the gate that ends first.
 */
export class GateExpiry {
  readonly #parts: GateExpiryParts
  #cancel: (() => void) | undefined
  #isLooking = false
  #isStopped = false

  constructor(parts: GateExpiryParts) {
    this.#parts = parts
    parts.gates.watch(() => this.#arm())
    this.#arm()
  }

  /** Looks no more. */
  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** A gate opened or closed: the next one to end may be another. */
  #arm(): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#isLooking || this.#isStopped || this.#limited().length === 0) return
    this.#look().catch(() => undefined) // a failed append has faulted the session already
  }

  #limited(): readonly OpenGate[] {
    return this.#parts.gates.list().filter((gate) => expiryOf(gate) !== undefined)
  }

  /** Ends what is over, then waits for the next. */
  async #look(): Promise<void> {
    const { gates, clock, commit } = this.#parts
    this.#isLooking = true
    let waitMs = retryMs
    try {
      const now = await gates.now()
      const isOver = (gate: OpenGate) => now >= (expiryOf(gate) ?? Number.POSITIVE_INFINITY)
      if (this.#limited().some(isOver) && !this.#isStopped) await commit(() => this.#close(isOver))
      waitMs = Math.min(...this.#limited().map((gate) => (expiryOf(gate) ?? 0) - now))
    } catch {
      // the store could not tell, or the append failed: the session ends by itself, or the next look is soon
    } finally {
      this.#isLooking = false
    }
    if (this.#isStopped || this.#limited().length === 0) return
    this.#cancel = clock.setTimer(Math.min(Math.max(waitMs, 1), maxTimerMs), () => this.#arm())
  }

  #close(isOver: (gate: OpenGate) => boolean): Draft | undefined {
    const { gates, ids, works } = this.#parts
    const over = gates.list().filter(isOver)
    return over.length === 0 ? undefined : gates.close(over.map(timedOut), ids, works())
  }
}

/** The record of a gate whose time is over. */
export function timedOut({ loopId, turnId, stepId, gateId, toolExecutionId }: OpenGate): GateResolved {
  return { type: 'GateResolved', loopId, turnId, stepId, gateId, toolExecutionId, reason: 'timeout' }
}
