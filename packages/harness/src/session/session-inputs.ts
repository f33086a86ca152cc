import { type Block, type InputId, isUuid, textOf, type UserMessage } from '@looprig/core'
import { type IdSource, newId } from '../clock/id-source.ts'
import { asFault, SessionError, type SessionFaultedError } from '../error/errors.ts'
import type { Hub } from '../hub/hub.ts'
import { inputDraft } from '../journal/record-draft.ts'
import { titleOf } from '../rig/session-head.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import { type CheckedInput, checkInput } from './check-input.ts'
import { InputTracker } from './input-tracker.ts'
import { joinDrafts } from './join-drafts.ts'
import { LiveSubmission } from './live-submission.ts'
import type { SubmitOptions } from './session.ts'
import type { Draft, SessionLog } from './session-log.ts'
import type { Submission, TurnResult } from './submission.ts'

/** What the inputs of a session need of it. */
export interface InputHost {
  readonly log: SessionLog
  readonly hub: Hub
  readonly ids: IdSource
  /** The loop that takes them. */
  readonly loop: LoopRuntime
  /** The session has its title. */
  readonly isTitled: boolean
  /**
   * Asked when an input is about to be accepted.
   *
   * @throws SessionError when the session takes no more.
   */
  checkOpen(): void
}

/** All inputs of a session, from their submission to their outcome. */
export class SessionInputs {
  readonly #host: InputHost
  readonly #trackers: Map<InputId, InputTracker>
  #isTitled: boolean

  /** @param known - the inputs that the journal knows. */
  constructor(host: InputHost, known: readonly InputTracker[]) {
    this.#host = host
    this.#trackers = new Map(known.map((tracker) => [tracker.inputId, tracker]))
    this.#isTitled = host.isTitled
  }

  /** See `Session.submit`. */
  submit(input: string | readonly Block[], options: SubmitOptions): Submission {
    const inputId = options.inputId ?? newId(this.#host.ids, 'InputId')
    const checked = checkInput(input)
    if (!isUuid(inputId)) return this.#refused(inputId, new SessionError('input_invalid', 'inputId: expected a UUID'))
    const known = this.#trackers.get(inputId)
    if (known !== undefined) return this.#resubmit(known, checked, options.signal)
    if (checked instanceof SessionError) return this.#refused(inputId, checked)
    const tracker = new InputTracker(inputId, checked.digest)
    const submission = this.#follow(tracker, options.signal)
    this.#trackers.set(inputId, tracker)
    this.#host.log
      .commit(() => this.#acceptDraft(tracker, checked.message))
      .catch((error: unknown) => {
        if (error instanceof SessionError) this.#trackers.delete(inputId)
        if (error instanceof SessionError) tracker.refuse(error)
        else tracker.fail(asFault(error))
        submission.end()
      })
    return submission
  }

  /** An input has its outcome. */
  settle(result: TurnResult): void {
    this.#trackers.get(result.inputId)?.settle(result)
  }

  /** The session is parked: what has no outcome waits for a restore. */
  park(): void {
    for (const { inputId } of this.#trackers.values()) {
      this.settle({ status: 'waiting', inputId, text: '', usage: {} })
    }
  }

  /** The session faulted: what has no outcome has none. */
  fail(fault: SessionFaultedError): void {
    for (const tracker of this.#trackers.values()) tracker.fail(fault)
  }

  #acceptDraft(tracker: InputTracker, message: UserMessage): Draft {
    this.#host.checkOpen()
    const { loop } = this.#host
    const hasImage = message.blocks.some(({ type }) => type === 'image')
    // once in history it would be part of every later request
    if (hasImage && loop.definition.model.capabilities?.images !== true) {
      throw new SessionError('input_invalid', 'the model takes no images')
    }
    if (loop.queueIsFull) throw new SessionError('queue_full', 'too many inputs wait already; wait for an answer')
    const { inputId } = tracker
    const accepted: Draft = {
      records: [inputDraft(inputId, { loopId: loop.id, agency: 'user', blocks: message.blocks })],
      head: this.#isTitled ? {} : { title: titleOf(textOf(message.blocks)) || 'untitled' },
      apply: () => {
        this.#isTitled = true
      },
      delivered: () => tracker.accept(),
    }
    return joinDrafts(accepted, loop.accept({ inputId, message }))
  }

  #follow(tracker: InputTracker, signal: AbortSignal | undefined): LiveSubmission {
    const { loop, hub } = this.#host
    const turnId = loop.active?.inputId === tracker.inputId ? loop.active.turnId : undefined
    const submission = new LiveSubmission(tracker, hub, turnId)
    if (signal !== undefined) {
      const stop = () => {
        if (loop.active?.inputId === tracker.inputId) loop.stop('interrupt').catch(() => undefined)
      }
      signal.addEventListener('abort', stop, { once: true })
      tracker.result.finally(() => signal.removeEventListener('abort', stop)).catch(() => undefined)
      tracker.accepted.then(() => signal.aborted && stop()).catch(() => undefined)
    }
    return submission
  }

  /** The same input again: its outcome is the first one's. */
  #resubmit(known: InputTracker, checked: CheckedInput | SessionError, signal: AbortSignal | undefined): Submission {
    if (!(checked instanceof SessionError) && checked.digest === known.digest) return this.#follow(known, signal)
    return this.#refused(known.inputId, new SessionError('input_conflict', 'another input has this id'))
  }

  #refused(inputId: InputId, error: SessionError): Submission {
    const tracker = new InputTracker(inputId, '')
    const submission = new LiveSubmission(tracker, this.#host.hub)
    tracker.refuse(error)
    submission.end()
    return submission
  }
}
