import type { InputId, LoopId, Message, TurnId } from '@looprig/core'
import type { Model } from '@looprig/inference'
import type { CompactionResult } from '../context/compaction-result.ts'
import { LoopCompaction } from '../context/loop-compaction.ts'
import { asFault } from '../error/errors.ts'
import { type EndOperation, HookRunner } from '../hook/hook-runner.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { LoopLimits } from '../loop/limits.ts'
import { takesMessage } from '../loop/takes-input.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import type { Draft } from '../session/session-log.ts'
import { ActiveTurn } from './active-turn.ts'
import { asksPeople } from './asks-people.ts'
import type { History } from './history.ts'
import { InputQueue, type WaitingInput } from './input-queue.ts'
import type { LoopHandle } from './loop-handle.ts'
import type { LoopHost } from './loop-host.ts'
import { LoopRecords } from './loop-records.ts'
import { LoopSettings } from './loop-settings.ts'
import type { LoopState, ResumedTurn } from './loop-state.ts'
import { loopTurnHost } from './loop-turn-host.ts'
import type { OpenStep } from './open-step.ts'
import { runTurn } from './turn.ts'
import { TurnAdmission } from './turn-admission.ts'
import { TurnClosing } from './turn-closing.ts'
import type { TurnEnd } from './turn-end.ts'
import type { StopReason, TurnHost } from './turn-host.ts'
import { TurnOpening } from './turn-opening.ts'
import type { TurnResume } from './turn-resume.ts'

/** One agent of a session: owns its history, its queue and its running turn. */
export class LoopRuntime implements LoopHandle {
  readonly id: LoopId
  readonly definition: LoopDefinition
  readonly #host: LoopHost
  readonly #history: History
  readonly #queue: InputQueue
  /** Its mode and model, in force from the next turn on. */
  readonly settings: LoopSettings
  readonly #records: LoopRecords
  readonly #opening: TurnOpening
  readonly #closing: TurnClosing
  readonly #hooks: HookRunner
  readonly #admission: TurnAdmission
  readonly #compaction: LoopCompaction
  #turn: ActiveTurn | undefined
  #ended: Promise<void> = Promise.resolve()
  #isParked = false

  constructor(state: LoopState, host: LoopHost) {
    this.id = state.id
    this.definition = state.definition
    this.#host = host
    this.#history = state.history
    const { choice = { mode: state.definition.initialMode } } = state
    this.settings = new LoopSettings({ ...state, choice, ids: host.ids, history: () => this.history() })
    this.#queue = new InputQueue(state.id, state.queue, host.ids, (result) => {
      host.settled(result)
      this.#compaction.begin()
      host.changed()
    })
    const { id: loopId, definition, history, turnIndex } = state
    const scope = { sessionId: host.sessionId, loopId, loopName: state.definition.name }
    this.#hooks = new HookRunner(host.hooks, scope, (event) => host.emit(event), host.clock)
    this.#records = new LoopRecords({ loopId, ids: host.ids, gates: host.gates, history })
    const parts = { loop: this, host, queue: this.#queue, records: this.#records }
    this.#opening = new TurnOpening({
      ...{ ...parts, settings: this.settings, hooks: this.#hooks, turnIndex },
      opened: (turn) => {
        this.#turn = turn
      },
      begin: (turn, beginHooks) => this.#begin(turn, beginHooks),
    })
    this.#closing = new TurnClosing({
      ...parts,
      startFirst: (inputs, otherwise) => this.#opening.first(inputs, otherwise),
    })
    this.#admission = new TurnAdmission({
      hooks: this.#hooks,
      log: host.log,
      ids: host.ids,
      turnIndex: () => this.#opening.nextIndex,
      next: () => (this.#turn === undefined && !this.isCompacting && this.#mayStart ? this.#queue.first : undefined),
      start: (input, turn) => this.#opening.judged(input, turn),
      reject: (input, error) => this.#opening.denied(input, error),
    })
    const { log, clock, ids } = host
    this.#compaction = new LoopCompaction({
      ...{ log, clock, ids, loopId, definition, history, hooks: this.#hooks },
      emit: (event) => host.emit(event),
      config: () => this.settings.config,
      isAtRest: () => this.state === 'idle' && host.ending() === undefined,
      isEnding: () => host.ending() !== undefined,
      afterwards: () => this.#afterCompaction(),
    })
  }

  /** `working` while a turn runs or is about to, `waiting` while its turn only waits for people. */
  get state(): 'idle' | 'working' | 'waiting' {
    const turn = this.#turn
    // a turn that was stopped at its questions ends by itself: nobody has to answer any more
    if (turn !== undefined) return this.#waits(turn) && !turn.stop.signal.aborted ? 'waiting' : 'working'
    if (this.isCompacting) return 'working'
    return this.#queue.first !== undefined && this.#host.ending() === undefined ? 'working' : 'idle'
  }

  /**
   * All that is left of its turn waits for people: it is `waiting`, or the calls that run have asked a question, or wait
   * for agents of which that is true.
   */
  get isAsking(): boolean {
    const { openStep: step } = this
    // nobody has to act while a rule is written that a person saved
    if (this.state === 'waiting') return this.#turn?.isSaving !== true
    return step !== undefined && this.#turn?.stop.signal.aborted === false && asksPeople(step, this.#host)
  }

  /** A compaction runs, and no turn. */
  get isCompacting(): boolean {
    return this.#compaction.isRunning
  }

  /** Its turn was left to a restore where it waits for people. */
  get isParked(): boolean {
    return this.#isParked
  }

  /** The turn that runs, and the input that began it. */
  get active(): { readonly inputId: InputId; readonly turnId: TurnId } | undefined {
    return this.#turn
  }

  /** Its session is open and takes work. */
  get #mayStart(): boolean {
    return this.#host.ending() === undefined && !this.#host.isHeld()
  }

  /** The model of the next turn. */
  get model(): Model {
    return this.settings.config.loop.model
  }

  /** The limits of the turn that runs, else of the next one. */
  get limits(): LoopLimits {
    return (this.#turn?.config ?? this.settings.config).loop.limits
  }

  /** The step whose calls run. */
  get openStep(): OpenStep | undefined {
    const step = this.#turn?.step
    return step?.closed === false ? step : undefined
  }

  /** How the turn that runs is being stopped. */
  get stopReason(): unknown {
    return this.#turn?.stop.signal.reason
  }

  /** How many inputs wait. */
  get queueLength(): number {
    return this.#queue.list().length
  }

  get queueIsFull(): boolean {
    return this.#queue.isFull
  }

  /** The committed transcript: a snapshot of frozen messages. */
  history(): readonly Message[] {
    return this.#history.messages()
  }

  /** The turn that an input began or joined, while it runs. */
  turnOf(inputId: InputId): TurnId | undefined {
    return this.#turn?.inputIds.includes(inputId) === true ? this.#turn.turnId : undefined
  }

  /**
   * What accepting an input leads to: the start of its turn on an idle loop, else a place in the queue. Part of the
   * commit that makes the input durable.
   */
  accept(input: WaitingInput): Draft {
    const begins = this.state === 'idle' && this.#mayStart && !this.#opening.isGuarded
    return begins ? this.#opening.draft(input) : this.acceptBehind(input)
  }

  /** What accepting an input leads to that comes behind another one. */
  acceptBehind(input: WaitingInput): Draft {
    return {
      records: [],
      // without a turn it is work for the next owner, should this one be lost
      ...(this.#turn === undefined && !this.#isParked ? { wakeAt: 0 } : {}),
      apply: () => this.#queue.add(input),
      delivered: () => {
        this.#host.emit({ type: 'InputQueued', loopId: this.id, inputId: input.inputId })
        this.#admission.advance()
      },
    }
  }

  /** Takes an input that another process made durable; `startQueued` begins it. */
  enqueue(input: WaitingInput): void {
    this.#queue.add(input)
    this.#host.emit({ type: 'InputQueued', loopId: this.id, inputId: input.inputId })
    this.#host.changed()
  }

  /** Drops an input that another process took back. */
  forget(inputId: InputId): void {
    this.#queue.remove(inputId)
    this.#admission.withdraw(inputId)
    this.#compaction.begin()
    this.#host.changed()
  }

  /** The end of an input that waits for its turn, taken back by who sent it; nothing when it does not wait here. */
  cancel(inputId: InputId, reason?: 'client_retracted' | 'turn_interrupted'): Draft | undefined {
    const cancelled = this.#queue.cancel(inputId, reason)
    if (cancelled === undefined) return undefined
    const withdrawn = { records: [], delivered: () => this.#admission.withdraw(inputId) }
    return joinDrafts(cancelled, this.#opening.restWithout(inputId), withdrawn)
  }

  /** Ends a request that waits, since the turn of the call that sent it is stopped. */
  async drop(inputId: InputId): Promise<void> {
    await this.#host.log.commit(() => this.cancel(inputId, 'turn_interrupted'))
    this.#host.changed()
  }

  /** The end of all inputs that wait, since their session is stopped. */
  cancelQueue(): Draft {
    return this.#queue.cancelAll('session_stopped')
  }

  /** See `Session.compact`. */
  compact(): Promise<CompactionResult> {
    return this.#compaction.ask()
  }

  /** Starts the first queued input on a loop that has no turn, and rejects what has no place in the queue. */
  async startQueued(): Promise<void> {
    let isTrimmed = false
    while (!isTrimmed) {
      await this.#host.log.commit(() => {
        isTrimmed = true
        if (!this.#mayStart) return undefined
        const waiting = this.#opening.waiting(this.#turn === undefined && !this.isCompacting)
        isTrimmed = waiting.isTrimmed
        return waiting.draft
      })
    }
    this.#admission.advance()
  }

  /** Goes on with a turn that a restore found open: its start, and the record of its step, are durable. */
  resume({ turn, ...resume }: ResumedTurn): void {
    const active = new ActiveTurn(turn, this.settings.bind(turn.choice), turn)
    this.#turn = active
    this.#ended = this.#run(active, resume)
  }

  /**
   * Stops the running turn and resolves when its end is durable: true if there was one, false too when a fault came
   * first. A start that is on its way to the journal counts. A shutdown parks a turn that only waits for people. Safe at
   * any time, and to call again.
   */
  async stop(reason: Exclude<StopReason, 'park'>): Promise<boolean> {
    const compacted = this.#compaction.stop()
    if (compacted !== undefined) {
      await compacted
      return this.#host.log.fault === undefined
    }
    // after a fault nothing starts any more, and what runs must hear of it at once
    if (this.#turn === undefined && reason !== 'fault')
      await this.#host.log.commit(() => undefined).catch(() => undefined)
    const judged = this.#turn === undefined ? await this.#admission.stop() : undefined
    const turn = this.#turn
    // one that was about to begin counts; the turn of another input that began instead is not meant
    if (turn === undefined || (judged !== undefined && judged.inputId !== turn.inputId)) {
      return judged !== undefined && this.#host.log.fault === undefined
    }
    const parks = reason === 'shutdown' && this.#waits(turn) && this.#host.agents.mayPark(this)
    turn.stop.abort(parks ? 'park' : reason)
    // at once, since an agent may take its time to end
    if (reason === 'interrupt') this.#host.agents.stopBelow(this).catch(() => undefined)
    await this.#ended
    // a turn that a fault kept from running has nobody else who would end it
    if (this.#turn === turn) this.#turn = undefined
    return this.#host.log.fault === undefined
  }

  #begin(turn: ActiveTurn, beginHooks: () => EndOperation): void {
    // begins in the next microtask: a client that interrupts at once must find the end to wait for
    if (this.#turn === turn) {
      this.#ended = Promise.resolve().then(() => {
        turn.endHooks = beginHooks()
        return this.#run(turn)
      })
    }
    this.#host.changed()
  }

  async #run(turn: ActiveTurn, resume?: TurnResume): Promise<void> {
    try {
      const end = await runTurn(this.#turnHost(turn), resume)
      await this.#end(turn, end)
    } catch (error) {
      // whatever escapes a turn means that memory and journal may differ: only a restore may go on
      turn.stop.abort('fault')
      this.#turn = undefined
      this.#host.log.fail(asFault(error))
    } finally {
      turn.endHooks?.('interrupted')
    }
  }

  #turnHost(turn: ActiveTurn): TurnHost {
    const { log } = this.#host
    return loopTurnHost(turn, {
      ...{ loopId: this.id, host: this.#host, hooks: this.#hooks },
      ...this.#compaction.ofTurn(turn),
      history: () => this.history(),
      commitStep: (events) => log.commit(() => joinDrafts(this.#records.step(turn, events), this.#foldDraft(turn))),
    })
  }

  /** What waits joins the running turn; nothing joins one that is being stopped. */
  #foldDraft(turn: ActiveTurn): Draft | undefined {
    if (turn.stop.signal.aborted || this.#host.ending() !== undefined) return undefined
    if (this.#queue.first === undefined) return undefined
    // each is to be judged as a turn of its own
    if (this.#opening.isGuarded) return undefined
    const inputs = this.#queue.foldable(({ message }) => takesMessage(turn.config.loop.model, message))
    return this.#records.fold(turn, inputs, ({ inputId }) => this.#queue.remove(inputId))
  }

  async #end(turn: ActiveTurn, end: TurnEnd): Promise<void> {
    if (end.outcome === 'parked') {
      this.#isParked = true
      this.#turn = undefined
      this.#closing.settle(turn, 'waiting')
      return
    }
    if (turn.stop.signal.reason === 'interrupt') await this.#host.agents.stopBelow(this)
    await this.#host.log.commit(() => {
      const closed = this.#closing.draft(turn, end, () => {
        this.#turn = undefined
      })
      const last = {
        records: [],
        delivered: () => {
          if (turn.step !== undefined) this.#host.agents.leave(turn.step)
          this.#host.changed()
          this.#admission.advance()
          this.#compaction.turnEnded(turn)
        },
      }
      return joinDrafts(closed, last)
    })
  }

  /** The turn only waits for people, of its own or of the agents that it waits for. */
  #waits(turn: ActiveTurn): boolean {
    return turn.waiting || (turn.step?.closed === false && this.#host.agents.waitsForPeople(turn.step))
  }

  /** What a compaction between turns leads to: the turn of what came meanwhile. */
  #afterCompaction(): Draft {
    const started = this.#host.ending() === undefined ? this.#opening.first(this.#queue.list()) : undefined
    return joinDrafts(started, {
      records: [],
      delivered: () => {
        this.#admission.advance()
        this.#host.changed()
      },
    })
  }
}
