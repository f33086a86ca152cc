import type { Block, GateId, InputId, LoopId } from '@looprig/core'
import type { Lease } from '@looprig/store'
import type { WorkspaceBinding } from '@looprig/tools'
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
import type { RigParts } from '../rig/rig-parts.ts'
import type { SessionHead } from '../rig/session-head.ts'
import type { LoopHost, SessionEnding } from '../runtime/loop-host.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import { readModel } from '../runtime/loop-settings.ts'
import type { LoopState, ResumedTurn } from '../runtime/loop-state.ts'
import { foreignRecords } from './foreign-records.ts'
import type { InputTracker } from './input-tracker.ts'
import { joinDrafts } from './join-drafts.ts'
import { LoopDirectory } from './loop-directory.ts'
import type { Session, SubmitOptions, SubscribeOptions } from './session.ts'
import { SessionEnd } from './session-end.ts'
import { SessionInputs } from './session-inputs.ts'
import { type Draft, type ForeignRecords, SessionLog } from './session-log.ts'
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
  readonly workspace: WorkspaceBinding | undefined
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
  /** The loop that takes inputs. */
  #active: LoopRuntime
  readonly #loops = new LoopDirectory()
  readonly #agents: SessionAgents
  readonly #inputs: SessionInputs
  readonly #foreign: ForeignRecords
  readonly #expiry: GateExpiry
  readonly #idleWaiters = new Set<() => void>()
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
    this.#end = new SessionEnd(this.#loops, rig.ids)
    const { ledger } = rig.store
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
    this.#agents = createAgents({
      rig,
      sessionId: parts.id,
      workspace: parts.workspace,
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
      { log: this.#log, hub, ids, loop: () => this.#active, loops: this.#loops, checkOpen },
      parts.inputs,
    )
    this.#foreign = foreignRecords({
      loops: this.#loops,
      gates: this.#gates,
      inputs: this.#inputs,
      settled: (result) => this.#settled(result),
      taken: () => this.startQueued(),
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

  /** Begins to look for what other processes append. */
  follow(): void {
    this.#follow().catch((error: unknown) => {
      // what others say would not be heard any more
      if (!this.#watch.signal.aborted) this.#log.fail(new SessionFaultedError('store_failed', { cause: error }))
    })
  }

  /** Goes on with the turns that a restore found open. */
  resume(turns: ReadonlyMap<LoopId, ResumedTurn>): void {
    for (const [loopId, turn] of turns) this.#find(loopId).resume(turn)
  }

  /** Begins the inputs that wait for a loop that rests: after a restore, and when another process sent them. */
  startQueued(): void {
    for (const loop of this.#loops.all()) loop.startQueued().catch(() => undefined)
  }

  submit(input: string | readonly Block[], options: SubmitOptions = {}): Submission {
    return this.#inputs.submit(input, options)
  }

  async answer(gateId: GateId, answer: GateAnswer): Promise<void> {
    const given = copyAnswer(answer)
    await this.#log.commit(() => {
      this.#end.checkOpen()
      return this.#gates.answer(gateId, given, this.#rig.ids, this.#loops.works())
    })
  }

  async cancel(inputId: InputId): Promise<boolean> {
    let isCancelled = false
    // an input on its way to the journal was decided before: it waits by now, or its turn began
    await this.#log.commit(() => {
      this.#end.checkOpen()
      const drafts = this.#loops
        .all()
        .map((loop) => loop.cancel(inputId))
        .filter((draft) => draft !== undefined)
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

  async waitIdle({ orWaiting }: { readonly orWaiting?: boolean | undefined } = {}): Promise<'idle' | 'waiting'> {
    for (;;) {
      // what was decided before this call counts: an input on its way to the journal is not idle
      await this.#log.commit(() => undefined)
      this.#end.checkOpen()
      const busy = this.#loops.all().filter((loop) => loop.state !== 'idle')
      if (busy.length === 0) return 'idle'
      if (orWaiting === true && busy.every((loop) => loop.isAsking)) return 'waiting'
      await new Promise<void>((resolve) => this.#idleWaiters.add(resolve))
    }
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
    this.#wake()
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
      stopped: (loop) => this.#end.stopDraft(loop),
      settled: (result) => this.#settled(result),
      changed: () => this.#wake(),
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
    this.#wake()
    // a restore may go on, here or elsewhere, as soon as no tool runs any more
    stopped.then(() => this.#lease.release()).catch(() => undefined)
  }

  async #follow(): Promise<void> {
    const { signal } = this.#watch
    const { ledger } = this.#rig.store
    for await (const tip of ledger.watch({ session: this.id, after: this.#log.tip, signal })) {
      await this.#log.catchUp(tip)
    }
    if (!signal.aborted) throw new TypeError('a watch of the store ended by itself')
  }

  #find(loopId: LoopId): LoopRuntime {
    const loop = this.#loops.find(loopId)
    if (loop === undefined) throw new SessionError('loop_not_found', 'the session has no such loop')
    return loop
  }

  #wake(): void {
    for (const resolve of this.#idleWaiters) resolve()
    this.#idleWaiters.clear()
  }
}
