import type { LoopId, Message } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import type { IdSource } from '../clock/id-source.ts'
import type { EnduringBody } from '../event/event.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import { eventDraft, type RecordDraft } from '../journal/record-draft.ts'
import type { Draft } from '../session/session-log.ts'
import type { ActiveTurn } from './active-turn.ts'
import type { History } from './history.ts'
import type { WaitingInput } from './input-queue.ts'

/** What the records of a loop change. */
export interface LoopRecordsParts {
  readonly loopId: LoopId
  readonly ids: IdSource
  readonly gates: GateDirectory
  readonly history: History
}

/** Makes the records of one loop, and moves what they say into its history once they are durable. */
export class LoopRecords {
  readonly #parts: LoopRecordsParts

  constructor(parts: LoopRecordsParts) {
    this.#parts = parts
  }

  /** The records of events. */
  of(events: readonly EnduringBody[]): readonly RecordDraft[] {
    return events.map((event) => eventDraft(event, this.#parts.ids))
  }

  /** Adds the messages of a record to history. */
  push(record: StoredRecord | undefined, messages: readonly Message[]): void {
    if (record === undefined) throw new TypeError('a draft was applied without its record')
    this.#parts.history.push(record.seq, messages)
  }

  /** A finished step of a turn, or what closes one. */
  step(turn: ActiveTurn, events: readonly EnduringBody[]): Draft {
    return {
      records: this.of(events),
      apply: (stored) => {
        for (const [index, event] of events.entries()) {
          if (event.type === 'GateResolved') this.#parts.gates.resolve(event)
          if (event.type !== 'StepDone') continue
          this.push(stored[index], event.messages)
          turn.take(event)
        }
      },
    }
  }

  /** Inputs that join the turn that runs; `joined` is told of each. */
  fold(turn: ActiveTurn, inputs: readonly WaitingInput[], joined: (input: WaitingInput) => void): Draft {
    const { loopId } = this.#parts
    const { turnId, turnIndex } = turn
    return {
      records: this.of(
        inputs.map(({ inputId, message }) => ({
          type: 'TurnFoldedInto',
          ...{ loopId, turnId, inputId, turnIndex, message },
        })),
      ),
      apply: (stored) => {
        for (const [index, input] of inputs.entries()) {
          this.push(stored[index], [input.message])
          turn.fold(input.inputId)
          joined(input)
        }
      },
    }
  }
}
