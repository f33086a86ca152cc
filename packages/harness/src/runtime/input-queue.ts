import type { InputId, LoopId, UserMessage } from '@looprig/core'
import type { IdSource } from '../clock/id-source.ts'
import type { InputCancelled, TurnRejected } from '../event/turn-event.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { Draft } from '../session/session-log.ts'
import type { TurnResult } from '../session/submission.ts'

/** An accepted input that waits for its turn. */
export interface WaitingInput {
  readonly inputId: InputId
  readonly message: UserMessage
  /** Who sent it: a client, or another agent of the session. */
  readonly agency: 'user' | 'machine'
  /** It has a turn of its own; nothing behind it is folded before. */
  readonly noFold: boolean
}

/** The most inputs that wait for one loop. */
export const queueCapacity = 64

/** How much is folded at one time, in characters of JSON: all that is folded is one append. */
const maxFoldedCharacters = 8 * 1024 * 1024

/** The accepted inputs of one loop that have no turn yet, the oldest first. */
export class InputQueue {
  readonly #loopId: LoopId
  readonly #ids: IdSource
  readonly #settled: (result: TurnResult) => void
  #waiting: readonly WaitingInput[]

  /** @param settled - is told what became of an input that gets no turn, after its event was delivered. */
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
    return this.#waiting.length >= queueCapacity
  }

  /** The inputs that wait, the oldest first: a snapshot. */
  list(): readonly WaitingInput[] {
    return this.#waiting
  }

  /** What may join a turn that runs: the oldest inputs up to one that may not, or that this turn does not take. */
  foldable(takes: (input: WaitingInput) => boolean): readonly WaitingInput[] {
    let characters = 0
    const end = this.#waiting.findIndex((input, index) => {
      characters += JSON.stringify(input.message).length
      return input.noFold || !takes(input) || (index > 0 && characters > maxFoldedCharacters)
    })
    return end < 0 ? this.#waiting : this.#waiting.slice(0, end)
  }

  add(input: WaitingInput): void {
    this.#waiting = [...this.#waiting, input]
  }

  /** Takes out an input that begins or joins a turn, or ended elsewhere; one that never waited is fine. */
  remove(inputId: InputId): void {
    this.#waiting = this.#waiting.filter((input) => input.inputId !== inputId)
  }

  /** The end of one input that waits; nothing when it does not. */
  cancel(inputId: InputId, reason: 'client_retracted' | 'turn_interrupted' = 'client_retracted'): Draft | undefined {
    const input = this.#waiting.find((waiting) => waiting.inputId === inputId)
    return input === undefined ? undefined : this.#cancelled([input], reason)
  }

  /** The end of all inputs that wait. */
  cancelAll(reason: Exclude<InputCancelled['reason'], 'client_retracted' | 'turn_interrupted'>): Draft {
    return this.#cancelled(this.#waiting, reason)
  }

  /** The end of what no person sent, since the turn before it was interrupted. */
  cancelMachine(): Draft {
    const machine = this.#waiting.filter(({ agency }) => agency === 'machine')
    return this.#cancelled(machine, 'turn_interrupted')
  }

  /** The end of inputs that wait and never get a turn. */
  reject(inputs: readonly WaitingInput[], reason: TurnRejected['reason'], detail?: string): Draft {
    const more = detail === undefined ? {} : { detail }
    return this.#ended(
      inputs,
      ({ inputId, message }) => ({ type: 'TurnRejected', loopId: this.#loopId, inputId, reason, ...more, message }),
      ({ inputId }) => rejectedResult(inputId, reason, detail),
    )
  }

  /**
   * What other processes handed over while the queue was full; what an agent of the session sent never is among it.
   *
   * @param starting - the first one begins now.
   */
  overflow(starting: boolean): readonly WaitingInput[] {
    const over = this.#waiting.slice(starting ? queueCapacity + 1 : queueCapacity)
    return over.filter(({ agency }) => agency === 'user')
  }

  #cancelled(inputs: readonly WaitingInput[], reason: InputCancelled['reason']): Draft {
    return this.#ended(
      inputs,
      ({ inputId, message }) => ({ type: 'InputCancelled', loopId: this.#loopId, inputId, reason, message }),
      ({ inputId }) => ({ status: 'cancelled', inputId, text: '', usage: {} }),
    )
  }

  #ended(
    inputs: readonly WaitingInput[],
    event: (input: WaitingInput) => InputCancelled | TurnRejected,
    result: (input: WaitingInput) => TurnResult,
  ): Draft {
    return {
      records: inputs.map((input) => eventDraft(event(input), this.#ids)),
      apply: () => {
        this.#waiting = this.#waiting.filter((waiting) => !inputs.includes(waiting))
      },
      delivered: () => {
        for (const input of inputs) this.#settled(result(input))
      },
    }
  }
}

/** The outcome of an input that never gets a turn. `detail`: what is to be said instead of the usual. */
export function rejectedResult(inputId: InputId, code: TurnRejected['reason'], detail?: string): TurnResult {
  return { status: 'rejected', inputId, text: '', usage: {}, error: { code, message: detail ?? rejections[code] } }
}

const rejections: Record<TurnRejected['reason'], string> = {
  queue_full: 'too many inputs wait already; wait for an answer',
  denied: 'a guard of the session refused it',
  input_invalid: 'the model of its turn does not take it',
}
