import type { GateId } from '@looprig/core'
import { GateError } from '../error/errors.ts'
import type { GateAction } from '../event/gate-event.ts'
import type { OpenGate } from '../session/session.ts'

/** The gates of one session: those that are open, and how the others were resolved. */
export class GateDirectory {
  readonly #open = new Map<GateId, { readonly gate: OpenGate; readonly answered: (action: GateAction) => void }>()
  readonly #resolved = new Map<GateId, GateAction | undefined>()

  /** @param resolved - what the journal says of gates that are no longer open; no action means abandoned. */
  constructor(resolved: Iterable<readonly [GateId, GateAction | undefined]> = []) {
    for (const [id, action] of resolved) this.#resolved.set(id, action)
  }

  list(): readonly OpenGate[] {
    return [...this.#open.values()].map(({ gate }) => gate)
  }

  /** Makes a gate answerable; call it when its record is durable. */
  open(gate: OpenGate, answered: (action: GateAction) => void): void {
    this.#open.set(gate.gateId, { gate: Object.freeze(gate), answered })
  }

  /**
   * Judges an answer: `fresh` when it is the first, `repeated` when an equal one was given before.
   *
   * @throws GateError `gate_not_found`, `already_resolved`, `action_invalid`.
   */
  check(gateId: GateId, action: GateAction): 'fresh' | 'repeated' {
    const open = this.#open.get(gateId)
    if (open !== undefined) {
      if (open.gate.actions.includes(action)) return 'fresh'
      throw new GateError('action_invalid', gateId)
    }
    if (!this.#resolved.has(gateId)) throw new GateError('gate_not_found', gateId)
    const before = this.#resolved.get(gateId)
    if (before !== undefined && before === action) return 'repeated'
    throw new GateError('already_resolved', gateId, before)
  }

  /** The gate of this id while it is open. */
  find(gateId: GateId): OpenGate | undefined {
    return this.#open.get(gateId)?.gate
  }

  /** Closes a gate; call it when its resolution is durable. No action means abandoned. */
  resolve(gateId: GateId, action: GateAction | undefined): void {
    const open = this.#open.get(gateId)
    this.#open.delete(gateId)
    this.#resolved.set(gateId, action)
    if (action !== undefined) open?.answered(action)
  }
}
