import { type Block, type GateId, headWithin, type InputId } from '@looprig/core'
import type { Lease } from '@looprig/store'
import { asFault, SessionError, SessionFaultedError } from '../error/errors.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import type { Hub } from '../hub/hub.ts'
import type { Subscription } from '../hub/subscription.ts'
import { Journal } from '../journal/journal.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { RigParts } from '../rig/rig-parts.ts'
import type { SessionHead } from '../rig/session-head.ts'
import { type LoopHost, LoopRuntime, type LoopState, type SessionEnding } from '../runtime/loop-runtime.ts'
import type { InputTracker } from './input-tracker.ts'
import { joinDrafts } from './join-drafts.ts'
import type { GateAnswer, OpenGate, Session, SubmitOptions, SubscribeOptions } from './session.ts'
import { SessionInputs } from './session-inputs.ts'
import { type Draft, SessionLog } from './session-log.ts'
import type { Submission } from './submission.ts'

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
  readonly #inputs: SessionInputs
  readonly #idleWaiters = new Set<() => void>()
  #ending: SessionEnding | undefined
  #closing: Promise<void> | undefined
  /** `SessionStopped` is durable. */
  #isStopped = false

  constructor(parts: SessionParts) {
    const { rig, lease, hub, loops } = parts
    this.id = parts.id
    this.#rig = rig
    this.#lease = lease
    this.#hub = hub
    this.#gates = parts.gates
    const journal = new Journal(rig.store.ledger, lease, rig.clock)
    this.#log = new SessionLog(parts.id, journal, hub, parts.head, (fault) => this.#faulted(fault))
    const host = this.#loopHost()
    const [first, ...others] = loops
    this.#primary = new LoopRuntime(first, host)
    this.#loops = [this.#primary, ...others.map((state) => new LoopRuntime(state, host))]
    const { ids } = rig
    const isTitled = parts.head.title !== ''
    const checkOpen = () => this.#checkOpen()
    this.#inputs = new SessionInputs(
      { log: this.#log, hub, ids, loop: this.#primary, isTitled, checkOpen },
      parts.inputs,
    )
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
    return this.#inputs.submit(input, options)
  }

  async answer(gateId: GateId, { action, by }: GateAnswer): Promise<void> {
    await this.#log.commit(() => {
      this.#checkOpen()
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

  async cancel(inputId: InputId): Promise<boolean> {
    let isCancelled = false
    // an input on its way to the journal was decided before: it waits by now, or its turn began
    await this.#log.commit(() => {
      this.#checkOpen()
      const drafts = this.#loops.map((loop) => loop.cancel(inputId)).filter((draft) => draft !== undefined)
      isCancelled = drafts.length > 0
      return isCancelled ? joinDrafts(...drafts) : undefined
    })
    return isCancelled
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
    if (this.#ending === 'stop') throw this.#closedError()
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
      this.#checkOpen()
      const states = this.#loops.map((loop) => loop.state)
      if (states.every((state) => state === 'idle')) return 'idle'
      if (options.orWaiting === true && !states.includes('working')) return 'waiting'
      await new Promise<void>((resolve) => this.#idleWaiters.add(resolve))
    }
  }

  shutdown(): Promise<void> {
    return this.#close('shutdown')
  }

  async stop(): Promise<void> {
    await this.#close('stop')
    if (this.#ending !== 'stop') throw this.#closedError()
    if (!this.#isStopped) throw asFault(this.fault)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown()
  }

  /** Ends the session as the first call says; every other call waits for that. */
  #close(ending: SessionEnding): Promise<void> {
    // nothing is decided to start from here on
    this.#ending ??= ending
    this.#closing ??= this.#end(this.#ending)
    return this.#closing
  }

  /** Never rejects for a fault: who asks for the end gets it. */
  async #end(ending: SessionEnding): Promise<void> {
    // a start that was decided before still comes
    await this.#settleLog()
    const reason = ending === 'stop' ? 'interrupt' : 'shutdown'
    while ((await Promise.all(this.#loops.map((loop) => loop.stop(reason)))).includes(true));
    // without a turn to end, the end of the session has an append of its own
    if (ending === 'stop') await this.#settleLog(() => (this.#isStopped ? undefined : this.#stopDraft()))
    await this.#log.seal(this.#closedError())
    this.#inputs.park()
    this.#lease.lost.removeEventListener('abort', this.#leaseLost)
    this.#hub.close(this.#log.fault)
    this.#wake()
    await this.#lease.release()
  }

  /** Waits until what was decided so far, and then `decide`, is done; a fault is told by the log. */
  async #settleLog(decide: () => Draft | undefined = () => undefined): Promise<void> {
    await this.#log.commit(decide).catch(() => undefined)
  }

  /** What ends the session for good, with all that waits for a loop other than `resting`. */
  #stopDraft(resting?: LoopRuntime): Draft {
    const queues = this.#loops.filter((loop) => loop !== resting).map((loop) => loop.cancelQueue())
    return joinDrafts(...queues, {
      records: [eventDraft({ type: 'SessionStopped' }, this.#rig.ids)],
      head: { status: 'stopped' },
      apply: () => {
        this.#isStopped = true
      },
    })
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
      ending: () => this.#ending,
      stopped: (loop) => this.#stopDraft(loop),
      settled: (result) => this.#inputs.settle(result),
      changed: () => this.#wake(),
    }
  }

  readonly #leaseLost = () => this.#log.fail(new SessionFaultedError('lease_lost'))

  #faulted(fault: SessionFaultedError): void {
    const stopped = Promise.all(this.#loops.map((loop) => loop.stop('fault')))
    this.#inputs.fail(fault)
    this.#wake()
    // a restore may go on, here or elsewhere, as soon as no tool runs any more
    stopped.then(() => this.#lease.release()).catch(() => undefined)
  }

  #checkOpen(): void {
    if (this.#ending !== undefined) throw this.#closedError()
  }

  #closedError(): SessionError {
    const message =
      this.#ending === 'stop' ? 'the session was stopped for good' : 'the session was shut down; restore it to go on'
    return new SessionError('session_closed', message)
  }

  #wake(): void {
    for (const resolve of this.#idleWaiters) resolve()
    this.#idleWaiters.clear()
  }
}
