import type { InputId, LoopId, UserMessage } from '@looprig/core'
import type { IdSource } from '../clock/id-source.ts'
import type { InputCancelled } from '../event/turn-event.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { Draft } from '../session/session-log.ts'
import type { TurnResult } from '../session/submission.ts'

/** An accepted input that waits for its turn. */
export interface WaitingInput {
  readonly inputId: InputId
  readonly message: UserMessage
}

/** The most inputs that wait for one loop. */
const capacity = 64

/** The accepted inputs of one loop that have no turn yet, the oldest first. */
export class InputQueue {
  readonly #loopId: LoopId
  readonly #ids: IdSource
  readonly #settled: (result: TurnResult) => void
  #waiting: readonly WaitingInput[]

  /** @param settled - is told what became of a cancelled input, after its event was delivered. */
  constructor(loopId: LoopId, waiting: readonly WaitingInput[], ids: IdSource, settled: (result: TurnResult) => void) {
    this.#loopId = loopId
    this.#ids = ids
    this.#settled = settled
    this.#waiting = waiting
  }

  get first(): WaitingInput | undefined {
    return this.#waiting[0]
  }

  get isFull(): boolean {
    return this.#waiting.length >= capacity
  }

  add(input: WaitingInput): void {
    this.#waiting = [...this.#waiting, input]
  }

  /** Takes out an input that begins its turn; one that never waited is fine. */
  remove(inputId: InputId): void {
    this.#waiting = this.#waiting.filter((input) => input.inputId !== inputId)
  }

  /** The end of one input that waits; nothing when it does not. */
  cancel(inputId: InputId): Draft | undefined {
    const input = this.#waiting.find((waiting) => waiting.inputId === inputId)
    return input === undefined ? undefined : this.#cancelled([input], 'client_retracted')
  }

  /** The end of all inputs that wait. */
  cancelAll(reason: Exclude<InputCancelled['reason'], 'client_retracted'>): Draft {
    return this.#cancelled(this.#waiting, reason)
  }

  #cancelled(inputs: readonly WaitingInput[], reason: InputCancelled['reason']): Draft {
    const loopId = this.#loopId
    return {
      records: inputs.map(({ inputId, message }) =>
        eventDraft({ type: 'InputCancelled', loopId, inputId, reason, message }, this.#ids),
      ),
      apply: () => {
        this.#waiting = this.#waiting.filter((waiting) => !inputs.includes(waiting))
      },
      delivered: () => {
        for (const { inputId } of inputs) this.#settled({ status: 'cancelled', inputId, text: '', usage: {} })
      },
    }
  }
}
