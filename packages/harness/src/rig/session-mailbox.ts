import { type Block, type GateId, type InputId, isUuid, type SessionId } from '@looprig/core'
import type { Store } from '@looprig/store'
import type { Clock } from '../clock/clock.ts'
import { type IdSource, newId } from '../clock/id-source.ts'
import { SessionError } from '../error/errors.ts'
import { copyAnswer } from '../gate/check-answer.ts'
import type { GateAnswer } from '../gate/open-gate.ts'
import { eventDraft, inputDraft } from '../journal/record-draft.ts'
import { queueCapacity } from '../runtime/input-queue.ts'
import { checkInput } from '../session/check-input.ts'
import type { SubmitOptions } from '../session/session.ts'
import { appendUnowned } from './append-unowned.ts'
import { resolveGate } from './resolve-gate.ts'

/**
 * What every process that has the store may do to a session, whether a live process owns it or none does. Each resolves
 * when it is durable; the owner sees it at once, and without an owner the next restore does. Every call reads the
 * session's journal.
 *
 * All may throw `SessionError` `session_not_found`, `session_stopped` or `outcome_unknown` (it may have been written: do
 * the same again, with the same id), `JournalError` and `StoreError`.
 */
export interface SessionMailbox {
  /**
   * Hands over an input to the loop that takes inputs. Give an `inputId` to make a retry safe. An input that the owner
   * cannot take after all, since others were faster and 64 wait already, ends as `TurnRejected`.
   *
   * @throws SessionError `input_invalid`, `input_conflict`, `queue_full`.
   */
  submit(input: string | readonly Block[], options?: Omit<SubmitOptions, 'signal'>): Promise<InputId>
  /** Takes back an input that waits for its turn; false, with nothing written, when it does not wait any more. */
  cancel(inputId: InputId): Promise<boolean>
  /**
   * Answers an open gate; see `Session.answer`.
   *
   * @throws GateError.
   */
  answer(gateId: GateId, answer: GateAnswer): Promise<void>
}

/** What a mailbox is made of. */
export interface MailboxParts {
  readonly store: Store
  readonly clock: Clock
  readonly ids: IdSource
}

/** Makes the mailbox of a session; nothing is read before it is used. */
export function sessionMailbox({ store, clock, ids }: MailboxParts, id: SessionId): SessionMailbox {
  const append = (decide: Parameters<typeof appendUnowned>[1]) =>
    appendUnowned({ ledger: store.ledger, clock, id }, decide)
  return Object.freeze({
    submit: async (input: string | readonly Block[], options: Omit<SubmitOptions, 'signal'> = {}) => {
      const inputId = options.inputId ?? newId(ids, 'InputId')
      if (!isUuid(inputId)) throw new SessionError('input_invalid', 'inputId: expected a UUID')
      const noFold = options.noFold === true ? ({ noFold: true } as const) : {}
      const checked = checkInput(input)
      if (checked instanceof SessionError) throw checked
      await append((fold) => {
        const known = fold.inputs.get(inputId)
        if (known?.digest === checked.digest) return []
        if (known !== undefined) throw new SessionError('input_conflict', 'another input has this id')
        const { blocks } = checked.message
        const { loopId, turn, queue } = fold.inputLoop
        // the first of them begins at once where no turn runs
        if (queue.size > queueCapacity - (turn === undefined ? 0 : 1)) {
          throw new SessionError('queue_full', 'too many inputs wait already; wait for an answer')
        }
        return [inputDraft(inputId, { loopId, agency: 'user', blocks, ...noFold })]
      })
      return inputId
    },
    cancel: async (inputId: InputId) => {
      let isCancelled = false
      await append((fold) => {
        const loop = [...fold.loops.values()].find(({ queue }) => queue.has(inputId))
        const waiting = loop?.queue.get(inputId)
        isCancelled = waiting !== undefined
        if (loop === undefined || waiting === undefined) return []
        const { loopId } = loop
        const { message } = waiting
        return [eventDraft({ type: 'InputCancelled', loopId, inputId, reason: 'client_retracted', message }, ids)]
      })
      return isCancelled
    },
    answer: async (gateId: GateId, answer: GateAnswer) => {
      const given = copyAnswer(answer)
      const now = await store.ledger.now()
      await append((fold) => resolveGate(fold, gateId, given, ids, now))
    },
  })
}
