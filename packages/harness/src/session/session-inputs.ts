import { type Block, type InputId, isUuid, textOf, type UserMessage } from '@looprig/core'
import { type IdSource, newId } from '../clock/id-source.ts'
import { asFault, SessionError, type SessionFaultedError } from '../error/errors.ts'
import type { Hub } from '../hub/hub.ts'
import { inputDraft } from '../journal/record-draft.ts'
import { takesMessage } from '../loop/takes-input.ts'
import { titleOf } from '../rig/session-head.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import { type CheckedInput, checkInput } from './check-input.ts'
import { InputMemory } from './input-memory.ts'
import { digestInput, InputTracker } from './input-tracker.ts'
import { joinDrafts } from './join-drafts.ts'
import { LiveSubmission } from './live-submission.ts'
import type { LoopDirectory } from './loop-directory.ts'
import type { OldRecords } from './old-records.ts'
import type { SubmitOptions } from './session.ts'
import type { Draft, SessionLog } from './session-log.ts'
import type { Submission, TurnResult } from './submission.ts'

/** What the inputs of a session need of it. */
export interface InputHost {
  readonly log: SessionLog
  readonly hub: Hub
  readonly ids: IdSource
  readonly loops: LoopDirectory
  readonly old: OldRecords
  /** The loop that takes them now. */
  loop(): LoopRuntime
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
  readonly #memory: InputMemory

  /** @param known - the inputs that the journal knows. */
  constructor(host: InputHost, known: readonly InputTracker[]) {
    this.#host = host
    this.#memory = new InputMemory(known)
  }

  /** See `Session.submit`. */
  submit(input: string | readonly Block[], options: SubmitOptions): Submission {
    const inputId = options.inputId ?? newId(this.#host.ids, 'InputId')
    const checked = checkInput(input)
    if (!isUuid(inputId)) return this.#refused(inputId, new SessionError('input_invalid', 'inputId: expected a UUID'))
    const known = this.#memory.find(inputId)
    if (known !== undefined) return this.#resubmit(known, checked, options.signal)
    if (checked instanceof SessionError) return this.#refused(inputId, checked)
    const tracker = new InputTracker(inputId, checked.digest)
    const submission = this.#follow(tracker, options.signal)
    const noFold = options.noFold === true
    this.#memory.add(tracker)
    this.#accept(tracker, checked.message, noFold).catch((error: unknown) => {
      if (!(error instanceof SessionError)) tracker.fail(asFault(error))
      else {
        this.#memory.remove(tracker)
        tracker.refuse(error)
      }
      submission.end()
    })
    return submission
  }

  /** Another process handed over an input: it is durable already, also for who submits the same one here. */
  takeForeign(inputId: InputId, blocks: readonly Block[]): void {
    const digest = digestInput(blocks)
    const known = this.#memory.find(inputId)
    const tracker = known?.digest === digest ? known : new InputTracker(inputId, digest)
    tracker.accept()
    this.#memory.add(tracker)
  }

  /** An input has its outcome. */
  settle(result: TurnResult): void {
    const tracker = this.#memory.find(result.inputId)
    if (tracker === undefined) return
    tracker.settle(result)
    this.#memory.settled(tracker)
  }

  /** The session is parked: what has no outcome waits for a restore. */
  park(): void {
    for (const { inputId, isAccepted } of this.#memory.all()) {
      // one that is not accepted by now is being refused
      if (isAccepted) this.settle({ status: 'waiting', inputId, text: '', usage: {} })
    }
  }

  /** The session faulted: what has no outcome has none. */
  fail(fault: SessionFaultedError): void {
    for (const tracker of this.#memory.all()) tracker.fail(fault)
  }

  async #accept(tracker: InputTracker, message: UserMessage, noFold: boolean): Promise<void> {
    let isKnown = false
    const taken = () => {
      isKnown = true
      return conflict()
    }
    await this.#host.log
      .commit(() => this.#acceptDraft(tracker, message, noFold, taken))
      .catch((error: unknown) => {
        if (!isKnown) throw error
      })
    if (tracker.isAccepted) return
    // its record is older than what memory knows
    if (!(await this.#host.old.takeOutcome(tracker))) throw conflict()
    this.#memory.settled(tracker)
  }

  #acceptDraft(tracker: InputTracker, message: UserMessage, noFold: boolean, ifTaken: () => Error): Draft | undefined {
    this.#host.checkOpen()
    // another process was faster with this id
    if (this.#memory.find(tracker.inputId) !== tracker) throw conflict()
    if (tracker.isAccepted) return undefined
    const loop = this.#host.loop()
    if (!takesMessage(loop.model, message)) {
      throw new SessionError('input_invalid', 'the model takes no images')
    }
    if (loop.queueIsFull) throw new SessionError('queue_full', 'too many inputs wait already; wait for an answer')
    const { inputId } = tracker
    const agency = 'user'
    const body = { loopId: loop.id, agency, blocks: message.blocks, ...(noFold ? { noFold } : {}) } as const
    const accepted: Draft = {
      records: [inputDraft(inputId, body)],
      head: this.#host.log.isTitled ? {} : { title: titleOf(textOf(message.blocks)) || 'untitled' },
      delivered: () => tracker.accept(),
      ifTaken,
    }
    return joinDrafts(accepted, loop.accept({ inputId, message, agency, noFold }))
  }

  #follow(tracker: InputTracker, signal: AbortSignal | undefined): LiveSubmission {
    const [turnId] = this.#host.loops.all().flatMap((loop) => loop.turnOf(tracker.inputId) ?? [])
    const submission = new LiveSubmission(tracker, this.#host.hub, turnId)
    if (signal !== undefined) {
      const stop = () => {
        this.#running(tracker)
          ?.stop('interrupt')
          .catch(() => undefined)
      }
      signal.addEventListener('abort', stop, { once: true })
      tracker.result.finally(() => signal.removeEventListener('abort', stop)).catch(() => undefined)
      tracker.accepted.then(() => signal.aborted && stop()).catch(() => undefined)
    }
    return submission
  }

  /** The loop whose turn this input began and that still runs it. */
  #running({ inputId }: InputTracker): LoopRuntime | undefined {
    return this.#host.loops.all().find((loop) => loop.active?.inputId === inputId)
  }

  /** The same input again: its outcome is the first one's. */
  #resubmit(known: InputTracker, checked: CheckedInput | SessionError, signal: AbortSignal | undefined): Submission {
    if (!(checked instanceof SessionError) && checked.digest === known.digest) return this.#follow(known, signal)
    return this.#refused(known.inputId, conflict())
  }

  #refused(inputId: InputId, error: SessionError): Submission {
    const tracker = new InputTracker(inputId, '')
    const submission = new LiveSubmission(tracker, this.#host.hub)
    tracker.refuse(error)
    submission.end()
    return submission
  }
}

function conflict(): SessionError {
  return new SessionError('input_conflict', 'another input has this id')
}
