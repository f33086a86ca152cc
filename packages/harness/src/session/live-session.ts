import type { Block, GateId, InputId, LoopId } from '@looprig/core'
import type { Lease } from '@looprig/store'
import type { CompactionResult } from '../context/compaction-result.ts'
import { createAgents } from '../delegate/create-agents.ts'
import type { OpenErrand } from '../delegate/errand.ts'
import type { SessionAgents } from '../delegate/session-agents.ts'
import { asFault, SessionError, SessionFaultedError } from '../error/errors.ts'
import { copyAnswer } from '../gate/check-answer.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import { GateExpiry } from '../gate/gate-expiry.ts'
import type { GateAnswer, OpenGate } from '../gate/open-gate.ts'
import type { Hub } from '../hub/hub.ts'
import type { Subscription } from '../hub/subscription.ts'
import { Journal } from '../journal/journal.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { ResourceRegistry } from '../resource/resource-registry.ts'
import type { RigParts } from '../rig/rig-parts.ts'
import type { SessionHead } from '../rig/session-head.ts'
import { heldTurn } from '../runtime/held-turn.ts'
import type { LoopHost, SessionEnding } from '../runtime/loop-host.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import { readModel } from '../runtime/loop-settings.ts'
import type { LoopState, ResumedTurn } from '../runtime/loop-state.ts'
import { followJournal } from './follow-journal.ts'
import { foreignRecords } from './foreign-records.ts'
import type { InputTracker } from './input-tracker.ts'
import { joinDrafts } from './join-drafts.ts'
import { LoopDirectory } from './loop-directory.ts'
import { OldRecords } from './old-records.ts'
import { Quiescence } from './quiescence.ts'
import type { Session, SubmitOptions, SubscribeOptions } from './session.ts'
import { SessionEnd } from './session-end.ts'
import { SessionInputs } from './session-inputs.ts'
import { type Draft, type ForeignRecords, SessionLog } from './session-log.ts'
import { sessionServices } from './session-services.ts'
import type { SessionWorkspace } from './session-workspace.ts'
import type { Submission, TurnResult } from './submission.ts'

/** What a live session is made of. */
export interface SessionParts {
  readonly rig: RigParts
  readonly id: Session['id']
  readonly lease: Lease
  readonly hub: Hub
  readonly head: SessionHead
  /** What the store has of it; absent where that is not known. */
  readonly storedHead?: SessionHead
  /** The seq of the last record that memory knows. */
  readonly tip: number
  readonly gates: GateDirectory
  readonly loops: readonly LoopState[]
  /** Where the tools of loops that start later work. */
  readonly workspace: SessionWorkspace | undefined
  /** What the tools of all its loops share; absent where the rig has no place for it. */
  readonly resources: ResourceRegistry | undefined
  /** What an earlier process asked of agents, and how many it started; absent in a new session. */
  readonly agents?: { readonly errands: readonly OpenErrand[]; readonly started: number }
  /** The loop that takes inputs; one of `loops`. */
  readonly activeLoopId: LoopId
  /** The inputs that the journal knows. */
  readonly inputs: readonly InputTracker[]
}

/** A session that this process owns. */
export class LiveSession implements Session {
  readonly id: Session['id']
  readonly #rig: RigParts
  readonly #lease: Lease
  readonly #hub: Hub
  readonly #gates: GateDirectory
  readonly #log: SessionLog
  readonly #old: OldRecords
  /** The loop that takes inputs. */
  #active: LoopRuntime
  readonly #loops = new LoopDirectory()
  readonly #agents: SessionAgents
  readonly #inputs: SessionInputs
  readonly #foreign: ForeignRecords
  readonly #expiry: GateExpiry
  readonly #resources: ResourceRegistry | undefined
  /** It is being opened. */
  #isHeld = true
  readonly #quiet: Quiescence
  readonly #end: SessionEnd
  #closing: Promise<void> | undefined
  readonly #watch = new AbortController()

  constructor(parts: SessionParts) {
    const { rig, lease, hub, loops } = parts
    this.id = parts.id
    this.#rig = rig
    this.#lease = lease
    this.#hub = hub
    this.#gates = parts.gates
    this.#resources = parts.resources
    this.#end = new SessionEnd(this.#loops, rig.ids)
    const { ledger } = rig.store
    this.#old = new OldRecords(ledger, parts.id)
    this.#log = new SessionLog({
      sessionId: parts.id,
      ledger,
      journal: new Journal(ledger, lease, rig.clock),
      hub,
      head: parts.head,
      ...(parts.storedHead === undefined ? {} : { storedHead: parts.storedHead }),
      tip: parts.tip,
      foreign: {
        take: (entry) => this.#foreign.take(entry),
        taken: () => this.#foreign.taken(),
        head: () => this.#foreign.head(),
      },
      onFault: (fault) => this.#faulted(fault),
    })
    this.#quiet = new Quiescence({ log: this.#log, loops: this.#loops, checkOpen: () => this.#end.checkOpen() })
    this.#agents = createAgents({
      rig,
      sessionId: parts.id,
      workspace: parts.workspace,
      resources: parts.resources,
      log: this.#log,
      loops: this.#loops,
      loopHost: () => host,
    })
    const host: LoopHost = this.#loopHost()
    for (const state of loops) this.#loops.add(this.#agents.take(state))
    if (parts.agents !== undefined) this.#agents.reopen(parts.agents.errands, parts.agents.started)
    this.#active = this.#find(parts.activeLoopId)
    const { ids } = rig
    const checkOpen = () => this.#end.checkOpen()
    this.#inputs = new SessionInputs(
      { log: this.#log, hub, ids, loop: () => this.#active, loops: this.#loops, old: this.#old, checkOpen },
      parts.inputs,
    )
    this.#foreign = foreignRecords({
      loops: this.#loops,
      gates: this.#gates,
      inputs: this.#inputs,
      settled: (result) => this.#settled(result),
      taken: () => this.#startQueued(),
    })
    this.#expiry = new GateExpiry({
      gates: this.#gates,
      clock: rig.clock,
      ids,
      works: () => this.#loops.works(),
      commit: (decide) => this.#log.commit(decide),
    })
    lease.lost.addEventListener('abort', this.#leaseLost, { once: true })
  }

  get loopId(): Session['loopId'] {
    return this.#active.id
  }

  get fault(): Error | undefined {
    return this.#log.fault
  }

  /**
   * Activates what its tools share, then begins: the turns that a restore found open go on, and so does what waits. Until
   * then their gates can be answered, and no tool runs.
   *
   * @throws SessionError `resource_failed`, after the session was parked.
   */
  async begin(turns: ReadonlyMap<LoopId, ResumedTurn> = new Map()): Promise<void> {
    const activated = this.#resources?.activate(
      sessionServices({ log: this.#log, loops: this.#loops, checkEnd: () => this.#end.checkStopped() }),
    )
    for (const [loopId, turn] of turns) {
      this.#find(loopId).resume(activated === undefined ? turn : heldTurn(turn, activated))
    }
    try {
      await activated
    } catch (error) {
      await this.shutdown()
      throw error
    }
    this.#isHeld = false
    const { ledger } = this.#rig.store
    followJournal({ ledger, sessionId: this.id, log: this.#log, signal: this.#watch.signal })
    this.#startQueued()
  }

  /** Begins the inputs that wait for a loop that rests: after a restore, and when another process sent them. */
  #startQueued(): void {
    for (const loop of this.#loops.all()) loop.startQueued().catch(() => undefined)
  }

  submit(input: string | readonly Block[], options: SubmitOptions = {}): Submission {
    return this.#inputs.submit(input, options)
  }

  async answer(gateId: GateId, answer: GateAnswer): Promise<void> {
    const given = copyAnswer(answer)
    let isOld = false
    await this.#log.commit(() => {
      this.#end.checkOpen()
      isOld = this.#gates.mayHaveForgotten(gateId)
      return isOld ? undefined : this.#gates.answer(gateId, given, this.#rig.ids, this.#loops.works())
    })
    if (isOld) await this.#old.checkAnswer(gateId, given)
  }

  async cancel(inputId: InputId): Promise<boolean> {
    let isCancelled = false
    // an input on its way to the journal was decided before: it waits by now, or its turn began
    await this.#log.commit(() => {
      this.#end.checkOpen()
      const drafts = this.#loops.all().flatMap((loop) => loop.cancel(inputId) ?? [])
      isCancelled = drafts.length > 0
      return isCancelled ? joinDrafts(...drafts) : undefined
    })
    return isCancelled
  }

  gates(): readonly OpenGate[] {
    return this.#gates.list()
  }

  get loops(): Session['loops'] {
    const loops = this.#loops.all().map(({ id, definition }) => {
      const parentId = this.#agents.parentOf(id)
      return Object.freeze({ loopId: id, name: definition.name, ...(parentId === undefined ? {} : { parentId }) })
    })
    return Object.freeze(loops)
  }

  history(loopId: LoopId = this.loopId) {
    return this.#find(loopId).history()
  }

  async setActiveLoop(loopId: LoopId): Promise<void> {
    await this.#log.commit(() => {
      this.#end.checkOpen()
      const loop = this.#find(loopId)
      if (this.#agents.parentOf(loopId) !== undefined)
        throw new SessionError('loop_not_found', 'an agent takes no inputs')
      const previous = this.#active.id
      if (previous === loopId) return undefined
      return {
        records: [eventDraft({ type: 'ActiveLoopChanged', previous, active: loopId }, this.#rig.ids)],
        apply: () => {
          this.#active = loop
        },
      }
    })
  }

  get mode(): string {
    return this.#active.settings.config.choice.mode
  }

  get model(): Session['model'] {
    return this.#active.model
  }

  async setMode(mode: string, options: { readonly loopId?: LoopId | undefined } = {}): Promise<void> {
    await this.#configure(options.loopId, (loop) => loop.settings.setMode(mode))
  }

  async setModel(model: Session['model'], options: { readonly loopId?: LoopId | undefined } = {}): Promise<void> {
    const chosen = readModel(model)
    await this.#configure(options.loopId, (loop) => loop.settings.setModel(chosen))
  }

  async compact(options: { readonly loopId?: LoopId | undefined } = {}): Promise<CompactionResult> {
    const asked: Promise<CompactionResult>[] = []
    await this.#configure(options.loopId, (loop) => ({ records: [], delivered: () => asked.push(loop.compact()) }))
    const [result] = asked
    if (result === undefined) throw asFault(this.fault)
    return result
  }

  #configure(loopId: LoopId | undefined, change: (loop: LoopRuntime) => Draft | undefined): Promise<void> {
    return this.#log.commit(() => {
      this.#end.checkOpen()
      return change(loopId === undefined ? this.#active : this.#find(loopId))
    })
  }

  subscribe(options: SubscribeOptions = {}): Subscription {
    return this.#hub.subscribe(options.since, options.filter)
  }

  async interrupt(): Promise<boolean> {
    if (this.#end.ending === 'stop') throw this.#end.closedError()
    // without a turn, an input on its way to the journal is meant
    const isRunning = this.#loops.all().some((loop) => loop.active !== undefined)
    if (!isRunning) await this.#log.commit(() => undefined).catch(() => undefined)
    const stopped = await Promise.all(this.#loops.all().map((loop) => loop.stop('interrupt')))
    // nobody knows whether the end of what ran is durable
    if (isRunning && this.#log.fault !== undefined) throw this.#log.fault
    return stopped.includes(true)
  }

  waitIdle(options?: { readonly orWaiting?: boolean | undefined }): Promise<'idle' | 'waiting'> {
    return this.#quiet.wait(options?.orWaiting === true)
  }

  shutdown(): Promise<void> {
    return this.#close('shutdown')
  }

  async stop(): Promise<void> {
    await this.#close('stop')
    if (this.#end.ending !== 'stop') throw this.#end.closedError()
    if (!this.#end.isStopped) throw asFault(this.fault)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown()
  }

  /** Ends the session as the first call says; every other call waits for that. */
  #close(ending: SessionEnding): Promise<void> {
    const first = this.#end.begin(ending)
    this.#closing ??= this.#finish(first)
    return this.#closing
  }

  /** Never rejects for a fault: who asks for the end gets it. */
  async #finish(ending: SessionEnding): Promise<void> {
    // a start that was decided before still comes
    await this.#settleLog()
    const reason = ending === 'stop' ? 'interrupt' : 'shutdown'
    while ((await Promise.all(this.#loops.all().map((loop) => loop.stop(reason)))).includes(true));
    await this.#resources?.close()
    // without a turn to end, the end of the session has an append of its own
    if (ending === 'stop') {
      await this.#settleLog(() => this.#end.stopDraft())
      await this.#settleLog(() => this.#end.lateDraft())
    }
    if (ending === 'shutdown') await this.#settleLog(() => this.#end.parkDraft())
    await this.#log.seal(this.#end.closedError())
    this.#watch.abort()
    this.#expiry.stop()
    this.#inputs.park()
    this.#lease.lost.removeEventListener('abort', this.#leaseLost)
    this.#hub.close(this.#log.fault)
    this.#quiet.changed()
    await this.#lease.release()
  }

  /** Waits until what was decided so far, and then `decide`, is done; a fault is told by the log. */
  async #settleLog(decide: () => Draft | undefined = () => undefined): Promise<void> {
    await this.#log.commit(decide).catch(() => undefined)
  }

  #loopHost(): LoopHost {
    const { clock, ids, hooks } = this.#rig
    return {
      log: this.#log,
      sessionId: this.id,
      hooks,
      gates: this.#gates,
      clock,
      ids,
      agents: this.#agents,
      emit: (event) => this.#hub.emit(event),
      isAlone: (loop) => this.#loops.isAlone(loop),
      works: (except) => this.#loops.works(except),
      ending: () => this.#end.ending,
      isHeld: () => this.#isHeld,
      // what the end of a resource tells comes before the end of the session
      stopped: (loop) => (this.#resources?.isEmpty === false ? undefined : this.#end.stopDraft(loop)),
      settled: (result) => this.#settled(result),
      changed: () => this.#quiet.changed(),
    }
  }

  /** An input has its outcome, which may be the result of a call as well. */
  #settled(result: TurnResult): void {
    this.#inputs.settle(result)
    this.#agents.settle(result)
  }

  readonly #leaseLost = () => this.#log.fail(new SessionFaultedError('lease_lost'))

  #faulted(fault: SessionFaultedError): void {
    this.#watch.abort()
    this.#expiry.stop()
    this.#agents.fail()
    const stopped = Promise.all(this.#loops.all().map((loop) => loop.stop('fault')))
    this.#inputs.fail(fault)
    this.#quiet.changed()
    // a restore may go on, here or elsewhere, as soon as nothing of it runs any more
    stopped
      .then(() => this.#resources?.close())
      .then(() => this.#lease.release())
      .catch(() => undefined)
  }

  #find(loopId: LoopId): LoopRuntime {
    const loop = this.#loops.find(loopId)
    if (loop === undefined) throw new SessionError('loop_not_found', 'the session has no such loop')
    return loop
  }
}
