import type { GateId, StepId } from '@looprig/core'
import type { IdSource } from '../clock/id-source.ts'
import type { GateResolved } from '../event/gate-event.ts'
import { eventDraft } from '../journal/record-draft.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import type { Draft } from '../session/session-log.ts'
import { answeredGate, checkAnswer, type KnownGate } from './check-answer.ts'
import type { GateAnswer, OpenGate } from './open-gate.ts'

/** An open gate, and who waits for it. */
export interface GateEntry {
  readonly gate: OpenGate
  /** What goes with the record of an answer that this process takes, in one append. Pure: it may be asked again. */
  readonly follow?: ((event: GateResolved) => Draft | undefined) | undefined
  /** Changes memory once the resolution is durable, whoever made it. Must not throw. */
  readonly resolved: (event: GateResolved) => void
}

/** How many gates that are closed are kept in memory; the journal knows the others. */
const maxKept = 256

/** What is kept of a gate that is closed: enough to know an equal answer again. */
type Resolution = Pick<GateResolved, 'reason' | 'action' | 'answer'>

/** The gates of one session: those that are open, and how the last of the others were resolved. */
export class GateDirectory {
  readonly #open = new Map<GateId, GateEntry>()
  readonly #resolved = new Map<GateId, Resolution>()
  readonly #now: () => Promise<number>
  readonly #maxOpen: number
  #hasForgotten = false
  #changed: () => void = () => undefined

  /**
   * @param resolved - what the journal says of gates that are no longer open.
   * @param now - the store's time.
   * @param maxOpen - how many may be open at a time.
   */
  constructor(resolved: Iterable<readonly [GateId, Resolution]>, now: () => Promise<number>, maxOpen = 128) {
    for (const [id, resolution] of resolved) this.#keep(id, resolution)
    this.#now = now
    this.#maxOpen = maxOpen
  }

  /** The open gates, the oldest first. */
  list(): readonly OpenGate[] {
    return [...this.#open.values()].map(({ gate }) => gate)
  }

  /** The open gates of one step. */
  ofStep(stepId: StepId): readonly OpenGate[] {
    return this.list().filter((gate) => gate.stepId === stepId)
  }

  /** The gate of this id while it is open. */
  find(gateId: GateId): OpenGate | undefined {
    return this.#open.get(gateId)?.gate
  }

  /** Says whether only the journal can tell what became of a gate, if the session has it at all. */
  mayHaveForgotten(gateId: GateId): boolean {
    return this.#hasForgotten && this.#known(gateId) === undefined
  }

  /** How many more gates may open. */
  get free(): number {
    return Math.max(0, this.#maxOpen - this.#open.size)
  }

  /** The store's time in milliseconds. */
  now(): Promise<number> {
    return this.#now()
  }

  /** Has `changed` called after every gate that opens or closes. */
  watch(changed: () => void): void {
    this.#changed = changed
  }

  /** Makes a gate answerable; call it when its record is durable. */
  open(entry: GateEntry): void {
    this.#open.set(entry.gate.gateId, entry)
    this.#changed()
  }

  /**
   * Decides on an answer: its record, with what follows from it in the same append; nothing for an answer that was given
   * before. `works`: as for `close`.
   *
   * @throws GateError.
   */
  answer(gateId: GateId, answer: GateAnswer, ids: IdSource, works: boolean): Draft | undefined {
    if (checkAnswer(gateId, this.#known(gateId), answer) === 'repeated') return undefined
    const entry = this.#open.get(gateId)
    if (entry === undefined) return undefined
    const event = answeredGate(entry.gate, answer)
    return joinDrafts(this.close([event], ids, works), entry.follow?.(event))
  }

  /**
   * Closes open gates; those of them that are closed already are left out.
   *
   * @param works - some loop has work that waits for none of these gates.
   */
  close(events: readonly GateResolved[], ids: IdSource, works: boolean): Draft {
    const due = events.filter((event) => this.#open.has(event.gateId))
    const closing = new Set(due.map((event) => event.gateId))
    const left = this.list().filter(({ gateId }) => !closing.has(gateId))
    // a turn goes on when the last gate of its step is closed
    const goesOn = due.some(({ stepId }) => left.every((gate) => gate.stepId !== stepId))
    return {
      records: due.map((event) => eventDraft(event, ids)),
      ...(due.length === 0 ? {} : { head: { status: left.length > 0 ? 'waiting' : 'running' } }),
      ...this.wakeAt({ closing, works: works || goesOn }),
      apply: () => {
        for (const event of due) this.resolve(event)
      },
    }
  }

  /** Takes a durable resolution: the gate is closed, and who waits for it is told. The first one counts. */
  resolve(event: GateResolved): void {
    const entry = this.#open.get(event.gateId)
    this.#open.delete(event.gateId)
    if (!this.#resolved.has(event.gateId)) this.#keep(event.gateId, event)
    entry?.resolved(event)
    this.#changed()
  }

  /**
   * When a session that loses its owner has work: at once while a loop `works`, else when the first gate is over that has
   * a limit. A part of the draft that opens gates until `opening`, or closes some.
   */
  wakeAt(change: {
    readonly works: boolean
    readonly opening?: number | undefined
    readonly closing?: ReadonlySet<GateId> | undefined
  }): Required<Pick<Draft, 'wakeAt'>> {
    if (change.works) return { wakeAt: 0 }
    const left = this.list().filter((gate) => change.closing?.has(gate.gateId) !== true)
    const times = left.map((gate) => expiryOf(gate) ?? Number.POSITIVE_INFINITY)
    const first = Math.min(...times, change.opening ?? Number.POSITIVE_INFINITY)
    return { wakeAt: Number.isFinite(first) ? first : null }
  }

  #known(gateId: GateId): KnownGate | undefined {
    const open = this.find(gateId)
    if (open !== undefined) return { open }
    const resolved = this.#resolved.get(gateId)
    return resolved === undefined ? undefined : { resolved }
  }

  #keep(gateId: GateId, { reason, action, answer }: Resolution): void {
    const said = { ...(action === undefined ? {} : { action }), ...(answer === undefined ? {} : { answer }) }
    this.#resolved.set(gateId, { reason, ...said })
    const [oldest] = this.#resolved.size > maxKept ? this.#resolved.keys() : []
    if (oldest === undefined) return
    this.#resolved.delete(oldest)
    this.#hasForgotten = true
  }
}

/** When a gate is closed unless answered, in the store's time. */
export function expiryOf(gate: OpenGate): number | undefined {
  return gate.expiresAtMs
}
