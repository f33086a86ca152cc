import { type Block, type GateId, headWithin, type InputId, isUuid, textOf, type UserMessage } from '@looprig/core'
import type { Lease } from '@looprig/store'
import { newId } from '../clock/id-source.ts'
import { SessionError, SessionFaultedError } from '../error/errors.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import type { Hub } from '../hub/hub.ts'
import type { Subscription } from '../hub/subscription.ts'
import { Journal } from '../journal/journal.ts'
import { eventDraft, inputDraft } from '../journal/record-draft.ts'
import type { RigParts } from '../rig/rig-parts.ts'
import { type SessionHead, titleOf } from '../rig/session-head.ts'
import { type LoopHost, LoopRuntime, type LoopState } from '../runtime/loop-runtime.ts'
import { type CheckedInput, checkInput } from './check-input.ts'
import { InputTracker } from './input-tracker.ts'
import { LiveSubmission } from './live-submission.ts'
import type { GateAnswer, OpenGate, Session, SubmitOptions, SubscribeOptions } from './session.ts'
import { type Draft, SessionLog } from './session-log.ts'
import type { Submission, TurnResult } from './submission.ts'

/** What a live session is made of. */
export interface SessionParts {
  readonly rig: RigParts
  readonly id: Session['id']
  readonly lease: Lease
  readonly hub: Hub
  readonly head: SessionHead
  readonly gates: GateDirectory
  readonly loops: readonly [LoopState, ...LoopState[]]
  /** The inputs that the journal knows. */
  readonly inputs: readonly InputTracker[]
}

/** How much is kept of the name of who answered. */
const maxNameBytes = 256

/** A session that this process owns. */
export class LiveSession implements Session {
  readonly id: Session['id']
  readonly #rig: RigParts
  readonly #lease: Lease
  readonly #hub: Hub
  readonly #gates: GateDirectory
  readonly #log: SessionLog
  readonly #primary: LoopRuntime
  readonly #loops: readonly LoopRuntime[]
  readonly #inputs: Map<InputId, InputTracker>
  readonly #idleWaiters = new Set<() => void>()
  #titled: boolean
  #closing: Promise<void> | undefined

  constructor(parts: SessionParts) {
    const { rig, lease, hub, loops } = parts
    this.id = parts.id
    this.#rig = rig
    this.#lease = lease
    this.#hub = hub
    this.#gates = parts.gates
    this.#titled = parts.head.title !== ''
    this.#inputs = new Map(parts.inputs.map((tracker) => [tracker.inputId, tracker]))
    const journal = new Journal(rig.store.ledger, lease, rig.clock)
    this.#log = new SessionLog(parts.id, journal, hub, parts.head, (fault) => this.#faulted(fault))
    const host = this.#loopHost()
    const [first, ...others] = loops
    this.#primary = new LoopRuntime(first, host)
    this.#loops = [this.#primary, ...others.map((state) => new LoopRuntime(state, host))]
    lease.lost.addEventListener('abort', this.#leaseLost, { once: true })
  }

  get loopId(): Session['loopId'] {
    return this.#primary.id
  }

  get fault(): Error | undefined {
    return this.#log.fault
  }

  /** Begins the inputs that a restore queued again. */
  startQueued(): void {
    for (const loop of this.#loops) loop.startQueued().catch(() => undefined)
  }

  submit(input: string | readonly Block[], options: SubmitOptions = {}): Submission {
    const inputId = options.inputId ?? newId(this.#rig.ids, 'InputId')
    const checked = checkInput(input)
    if (!isUuid(inputId)) return this.#refused(inputId, new SessionError('input_invalid', 'inputId: expected a UUID'))
    const known = this.#inputs.get(inputId)
    if (known !== undefined) return this.#resubmit(known, checked, options.signal)
    if (checked instanceof SessionError) return this.#refused(inputId, checked)
    const tracker = new InputTracker(inputId, checked.digest)
    const submission = this.#follow(tracker, options.signal)
    this.#inputs.set(inputId, tracker)
    this.#log
      .commit(() => this.#acceptDraft(tracker, checked.message))
      .catch((error: unknown) => {
        if (error instanceof SessionError) this.#inputs.delete(inputId)
        if (error instanceof SessionError) tracker.refuse(error)
        else tracker.fail(asFault(error))
        submission.end()
      })
    return submission
  }

  async answer(gateId: GateId, { action, by }: GateAnswer): Promise<void> {
    await this.#log.commit(() => {
      if (this.#closing !== undefined) throw closedError()
      if (this.#gates.check(gateId, action) === 'repeated') return undefined
      const gate = this.#gates.find(gateId)
      if (gate === undefined) return undefined
      const { loopId, turnId, stepId, toolExecutionId } = gate
      const scope = { loopId, turnId, stepId, gateId, toolExecutionId }
      const named = by === undefined ? {} : { by: headWithin(String(by), maxNameBytes) }
      return {
        records: [eventDraft({ type: 'GateResolved', ...scope, reason: 'answered', action, ...named }, this.#rig.ids)],
        head: { status: this.#gates.list().length > 1 ? 'waiting' : 'running' },
        apply: () => this.#gates.resolve(gateId, action),
      }
    })
  }

  gates(): readonly OpenGate[] {
    return this.#gates.list()
  }

  history() {
    return this.#primary.history()
  }

  subscribe(options: SubscribeOptions = {}): Subscription {
    return this.#hub.subscribe(options.since, options.filter)
  }

  async interrupt(): Promise<boolean> {
    // without a turn, an input on its way to the journal is meant
    const isRunning = this.#loops.some((loop) => loop.active !== undefined)
    if (!isRunning) await this.#log.commit(() => undefined).catch(() => undefined)
    const stopped = await Promise.all(this.#loops.map((loop) => loop.stop('interrupt')))
    return stopped.includes(true)
  }

  async waitIdle(options: { readonly orWaiting?: boolean | undefined } = {}): Promise<'idle' | 'waiting'> {
    for (;;) {
      // what was decided before this call counts: an input on its way to the journal is not idle
      await this.#log.commit(() => undefined)
      if (this.#closing !== undefined) throw closedError()
      const states = this.#loops.map((loop) => loop.state)
      if (states.every((state) => state === 'idle')) return 'idle'
      if (options.orWaiting === true && !states.includes('working')) return 'waiting'
      await new Promise<void>((resolve) => this.#idleWaiters.add(resolve))
    }
  }

  shutdown(): Promise<void> {
    this.#closing ??= this.#shutdown()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown()
  }

  async #shutdown(): Promise<void> {
    // yields once, so that `#closing` is set before any loop asks for it
    await Promise.resolve()
    // a start that was decided before still comes; nothing is decided to start after it
    await this.#log.commit(() => undefined).catch(() => undefined)
    while ((await Promise.all(this.#loops.map((loop) => loop.stop('shutdown')))).includes(true));
    await this.#log.seal(closedError())
    for (const tracker of this.#inputs.values()) {
      tracker.settle({ status: 'waiting', inputId: tracker.inputId, text: '', usage: {} })
    }
    this.#lease.lost.removeEventListener('abort', this.#leaseLost)
    this.#hub.close(this.#log.fault)
    this.#wake()
    await this.#lease.release()
  }

  #acceptDraft(tracker: InputTracker, message: UserMessage): Draft {
    if (this.#closing !== undefined) throw closedError()
    const loop = this.#primary
    const hasImage = message.blocks.some(({ type }) => type === 'image')
    // once in history it would be part of every later request
    if (hasImage && loop.definition.model.capabilities?.images !== true) {
      throw new SessionError('input_invalid', 'the model takes no images')
    }
    if (loop.queueIsFull) throw new SessionError('queue_full', 'too many inputs wait already; wait for an answer')
    const next = loop.accept({ inputId: tracker.inputId, message })
    const input = inputDraft(tracker.inputId, { loopId: loop.id, agency: 'user', blocks: message.blocks })
    const title = this.#titled ? {} : { title: titleOf(textOf(message.blocks)) || 'untitled' }
    return {
      records: [input, ...next.records],
      head: { ...next.head, ...title },
      apply: () => {
        this.#titled = true
        next.apply?.()
      },
      delivered: () => {
        tracker.accept()
        next.delivered?.()
      },
    }
  }

  #follow(tracker: InputTracker, signal: AbortSignal | undefined): LiveSubmission {
    const { active } = this.#primary
    const turnId = active?.inputId === tracker.inputId ? active.turnId : undefined
    const submission = new LiveSubmission(tracker, this.#hub, turnId)
    if (signal !== undefined) {
      const stop = () => {
        if (this.#primary.active?.inputId === tracker.inputId) this.#primary.stop('interrupt').catch(() => undefined)
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
    const submission = new LiveSubmission(tracker, this.#hub)
    tracker.refuse(error)
    submission.end()
    return submission
  }

  #loopHost(): LoopHost {
    const { clock, ids } = this.#rig
    return {
      log: this.#log,
      gates: this.#gates,
      clock,
      ids,
      emit: (event) => this.#hub.emit(event),
      isAlone: (loop) => this.#loops.every((other) => other === loop || other.state === 'idle'),
      isClosing: () => this.#closing !== undefined,
      settled: (result: TurnResult) => this.#inputs.get(result.inputId)?.settle(result),
      changed: () => this.#wake(),
    }
  }

  readonly #leaseLost = () => this.#log.fail(new SessionFaultedError('lease_lost'))

  #faulted(fault: SessionFaultedError): void {
    const stopped = Promise.all(this.#loops.map((loop) => loop.stop('fault')))
    for (const tracker of this.#inputs.values()) tracker.fail(fault)
    this.#wake()
    // a restore may go on, here or elsewhere, as soon as no tool runs any more
    stopped.then(() => this.#lease.release()).catch(() => undefined)
  }

  #wake(): void {
    for (const resolve of this.#idleWaiters) resolve()
    this.#idleWaiters.clear()
  }
}

function closedError(): SessionError {
  return new SessionError('session_closed', 'the session was shut down; restore it to go on')
}

function asFault(error: unknown): SessionFaultedError {
  return error instanceof SessionFaultedError ? error : new SessionFaultedError('internal', { cause: error })
}
