import type { InputId, LoopId, Message, TurnId } from '@looprig/core'
import type { Model } from '@looprig/inference'
import type { StoredRecord } from '@looprig/store'
import { newId } from '../clock/id-source.ts'
import type { CompactionResult } from '../context/compaction-result.ts'
import { LoopCompaction } from '../context/loop-compaction.ts'
import { asFault } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { LoopLimits } from '../loop/limits.ts'
import type { LoopChoice } from '../loop/loop-choice.ts'
import { takesMessage } from '../loop/takes-input.ts'
import type { SessionStatus } from '../rig/session-head.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import type { Draft } from '../session/session-log.ts'
import { HookRunner } from '../hook/hook-runner.ts'
import { ActiveTurn, type TurnIdentity, type TurnSoFar } from './active-turn.ts'
import type { History } from './history.ts'
import { InputQueue, type WaitingInput } from './input-queue.ts'
import type { LoopTools } from './loop-config.ts'
import type { LoopHost } from './loop-host.ts'
import { LoopSettings } from './loop-settings.ts'
import type { OpenStep } from './open-step.ts'
import { runTurn, type TurnResume } from './turn.ts'
import { type DurableEnd, restingStatus, type TurnEnd, terminalEvent } from './turn-end.ts'
import { type AdmittedTurn, TurnAdmission } from './turn-admission.ts'
import type { StopReason, TurnHost } from './turn-host.ts'

/** How many inputs are rejected in one append at most. */
const maxRejections = 500

/** What a loop is made of. */
export interface LoopState {
  readonly id: LoopId
  readonly definition: LoopDefinition
  readonly tools: LoopTools
  readonly history: History
  readonly turnIndex: number
  readonly queue: readonly WaitingInput[]
  /** Who started it as an agent, and how that one calls it. */
  readonly agent?: { readonly parentId: LoopId; readonly name: string } | undefined
  /** What was chosen of it; absent in a new session. */
  readonly choice?: LoopChoice
}

/** A turn that a restore found open and that goes on. */
export interface ResumedTurn extends TurnResume {
  /** As the journal tells it, with what was chosen of the loop when it began. */
  readonly turn: TurnIdentity & TurnSoFar & { readonly choice: LoopChoice }
}

/** One agent of a session: owns its history, its queue and its running turn. */
export class LoopRuntime {
  readonly id: LoopId
  readonly definition: LoopDefinition
  readonly #host: LoopHost
  readonly #history: History
  readonly #queue: InputQueue
  readonly #settings: LoopSettings
  readonly #hooks: HookRunner
  readonly #admission: TurnAdmission
  readonly #compaction: LoopCompaction
  #turnIndex: number
  #turn: ActiveTurn | undefined
  #ended: Promise<void> = Promise.resolve()

  constructor(state: LoopState, host: LoopHost) {
    this.id = state.id
    this.definition = state.definition
    this.#host = host
    this.#history = state.history
    const { choice = { mode: state.definition.initialMode } } = state
    this.#settings = new LoopSettings({ ...state, choice, ids: host.ids, history: () => this.history() })
    this.#queue = new InputQueue(state.id, state.queue, host.ids, (result) => {
      host.settled(result)
      this.#compaction.begin()
    })
    this.#turnIndex = state.turnIndex
    const scope = { sessionId: host.sessionId, loopId: state.id, loopName: state.definition.name }
    this.#hooks = new HookRunner(host.hooks, scope, (event) => host.emit(event))
    this.#admission = new TurnAdmission({
      hooks: this.#hooks,
      log: host.log,
      ids: host.ids,
      turnIndex: () => this.#turnIndex + 1,
      next: () => (this.#turn === undefined && !this.isCompacting && host.ending() === undefined ? this.#queue.first : undefined),
      start: (input, turn) => this.#startJudged(input, turn),
      reject: (input, { message }) => this.#queue.reject([input], 'denied', message),
    })
    const { log, clock, ids } = host
    this.#compaction = new LoopCompaction({
      ...{ log, clock, ids, loopId: state.id, definition: state.definition, history: state.history, hooks: this.#hooks },
      emit: (event) => host.emit(event),
      config: () => this.#settings.config,
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

  /** A compaction runs, and no turn. */
  get isCompacting(): boolean {
    return this.#compaction.isRunning
  }

  /** The turn that runs, and the input that began it. */
  get active(): { readonly inputId: InputId; readonly turnId: TurnId } | undefined {
    return this.#turn
  }

  /** The mode of the next turn; `''` is the base mode. */
  get mode(): string {
    return this.#settings.config.choice.mode
  }

  /** The model of the next turn. */
  get model(): Model {
    return this.#settings.config.loop.model
  }

  /** The limits of the turn that runs, else of the next one. */
  get limits(): LoopLimits {
    return (this.#turn?.config ?? this.#settings.config).loop.limits
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
    const begins = this.state === 'idle' && this.#host.ending() === undefined && !this.#admission.isNeeded
    return begins ? this.#start(input) : this.acceptBehind(input)
  }

  /** What accepting an input leads to that comes behind another one. */
  acceptBehind(input: WaitingInput): Draft {
    return {
      records: [],
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
    return joinDrafts(cancelled, { records: [], delivered: () => this.#admission.withdraw(inputId) })
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

  /** See `LoopSettings.setMode`. */
  setMode(mode: string): Draft | undefined {
    return this.#settings.setMode(mode)
  }

  /** See `LoopSettings.setModel`. */
  setModel(model: Model): Draft | undefined {
    return this.#settings.setModel(model)
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
        if (this.#host.ending() !== undefined) return undefined
        const isIdle = this.#turn === undefined && !this.isCompacting
        const overflow = this.#queue.overflow(isIdle)
        const rejected = overflow.slice(0, maxRejections)
        isTrimmed = rejected.length === overflow.length
        const begins = isIdle && isTrimmed && !this.#admission.isNeeded
        const waiting = this.#queue.list().filter((input) => !overflow.includes(input))
        const started = begins ? this.#startFirst(waiting) : undefined
        const draft = joinDrafts(started, this.#queue.reject(rejected, 'queue_full'))
        return draft.records.length === 0 ? undefined : draft
      })
    }
    this.#admission.advance()
  }

  /** Goes on with a turn that a restore found open: its start, and the record of its step, are durable. */
  resume({ turn, ...resume }: ResumedTurn): void {
    const active = new ActiveTurn(turn, this.#settings.bind(turn.choice), turn)
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
    if (this.#turn === undefined && reason !== 'fault') await this.#host.log.commit(() => undefined).catch(() => undefined)
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

  #start(input: WaitingInput, admitted?: AdmittedTurn): Draft {
    const turnIndex = this.#turnIndex + 1
    const turnId = admitted?.turnId ?? newId(this.#host.ids, 'TurnId')
    const { inputId, message } = input
    const subject = () => ({ ...this.#hooks.scope, turnId, inputId, turnIndex, message })
    const events: EnduringBody[] = [{ type: 'TurnStarted', loopId: this.id, turnId, inputId, turnIndex, message }]
    if (this.#turn === undefined && this.#host.isAlone(this)) events.push({ type: 'SessionActive' })
    return {
      records: this.#drafts(events),
      head: { status: 'running' },
      apply: ([started]) => {
        this.#queue.remove(inputId)
        this.#turnIndex = turnIndex
        this.#push(started, [message])
        this.#turn = new ActiveTurn({ turnId, inputId, turnIndex }, this.#settings.config)
      },
      delivered: () => {
        const turn = this.#turn
        // begins in the next microtask: a client that interrupts at once must find the end to wait for
        if (turn?.turnId === turnId) {
          this.#ended = Promise.resolve().then(() => {
            turn.endHooks = admitted?.endHooks ?? this.#hooks.begin('turn', subject)
            return this.#run(turn)
          })
        }
        this.#host.changed()
      },
    }
  }

  /** The start of the first of `inputs` that the model takes, else what `otherwise` says; those before it are rejected. */
  #startFirst(inputs: readonly WaitingInput[], otherwise?: () => Draft): Draft {
    // the loop rests until the next turn is judged
    if (this.#admission.isNeeded) return joinDrafts(otherwise?.())
    const { model } = this.#settings.config.loop
    const index = inputs.findIndex(({ message }) => takesMessage(model, message))
    const next = inputs[index]
    const rejected = this.#queue.reject(index < 0 ? inputs : inputs.slice(0, index), 'input_invalid')
    return joinDrafts(rejected, next === undefined ? otherwise?.() : this.#start(next))
  }

  /** The start of a turn that its guards let pass, unless its model does not take the input. */
  #startJudged(input: WaitingInput, turn: AdmittedTurn): Draft {
    if (takesMessage(this.model, input.message)) return this.#start(input, turn)
    const endHooks = { records: [], delivered: () => turn.endHooks('interrupted') }
    return joinDrafts(this.#queue.reject([input], 'input_invalid'), endHooks)
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
    const { log, gates, clock, ids } = this.#host
    const { loop, tools, toolSpecs } = turn.config
    return {
      loop,
      turnId: turn.turnId,
      turnIndex: turn.turnIndex,
      tools,
      toolSpecs,
      gates,
      clock,
      ids,
      hooks: this.#hooks,
      signal: turn.stop.signal,
      newStep: () => ({ loopId: this.id, turnId: turn.turnId, stepId: newId(ids, 'StepId') }),
      history: () => this.history(),
      commit: (decide) => log.commit(decide),
      commitStep: (events) => log.commit(() => joinDrafts(this.#stepDraft(turn, events), this.#foldDraft(turn))),
      agents: {
        enter: (step) => {
          turn.step = step
        },
        changed: () => this.#host.changed(),
        finish: (step) => this.#host.agents.finish(step, turn.stop.signal, loop.limits.resultBytes),
      },
      ...this.#compaction.ofTurn(turn),
      emit: (event) => this.#host.emit(event),
      setWaiting: (waiting) => {
        turn.waiting = waiting
        this.#host.changed()
      },
    }
  }

  /** Moves a committed step into history. */
  #stepDraft(turn: ActiveTurn, events: readonly EnduringBody[]): Draft {
    return {
      records: this.#drafts(events),
      apply: (stored) => {
        for (const [index, event] of events.entries()) {
          if (event.type === 'GateResolved') this.#host.gates.resolve(event)
          if (event.type !== 'StepDone') continue
          this.#push(stored[index], event.messages)
          turn.take(event)
        }
      },
    }
  }

  /** What waits joins the running turn; nothing joins one that is being stopped. */
  #foldDraft(turn: ActiveTurn): Draft | undefined {
    if (turn.stop.signal.aborted || this.#host.ending() !== undefined) return undefined
    // each is to be judged as a turn of its own
    if (this.#admission.isNeeded) return undefined
    const inputs = this.#queue.foldable(({ message }) => takesMessage(turn.config.loop.model, message))
    const { turnId, turnIndex } = turn
    return {
      records: this.#drafts(
        inputs.map(({ inputId, message }) => ({
          type: 'TurnFoldedInto',
          ...{ loopId: this.id, turnId, inputId, turnIndex, message },
        })),
      ),
      apply: (stored) => {
        for (const [index, { inputId, message }] of inputs.entries()) {
          this.#queue.remove(inputId)
          this.#push(stored[index], [message])
          turn.fold(inputId)
        }
      },
    }
  }

  async #end(turn: ActiveTurn, end: TurnEnd): Promise<void> {
    if (end.outcome === 'parked') {
      this.#turn = undefined
      this.#settle(turn, 'waiting')
      return
    }
    const { reason } = turn.stop.signal
    if (reason === 'interrupt') await this.#host.agents.stopBelow(this)
    await this.#host.log.commit(() => {
      const terminal = terminalEvent(this.id, turn, end)
      const events = end.step()
      const handBack = this.#handBack(turn, end, events)
      const ended: Draft = {
        records: this.#drafts([terminal]),
        head: { status: this.#statusAfter(end) },
        apply: () => {
          this.#turn = undefined
        },
        delivered: () => {
          const error = end.outcome === 'failed' ? end.error : undefined
          this.#settle(turn, end.outcome, error, end.outcome === 'done' && end.isStructured)
          turn.endHooks?.(end.outcome === 'done' ? 'completed' : end.outcome)
        },
      }
      const last = {
        records: [],
        delivered: () => {
          this.#host.changed()
          this.#admission.advance()
          this.#compaction.turnEnded(turn)
        },
      }
      const afterwards = this.#afterwards(end, handBack !== undefined)
      return joinDrafts(this.#stepDraft(turn, events), ended, afterwards, handBack, last)
    })
  }

  /**
   * What tells the loop that started this one how the turn ended, and of the requests that end with it. An interrupt is
   * an act of the person or of that loop itself: nothing of it is told.
   */
  #handBack(turn: ActiveTurn, { outcome, ...end }: DurableEnd, events: readonly EnduringBody[]): Draft | undefined {
    if (outcome === 'interrupted' && turn.stop.signal.reason === 'interrupt') return undefined
    const results = turn.resultsAfter(events, outcome, 'error' in end ? end.error : undefined)
    const dropped = outcome === 'failed' ? this.#queue.list() : []
    return this.#host.agents.handBack(this, [
      ...results,
      ...dropped.map(({ inputId }) => ({ status: 'cancelled', inputId, text: '', usage: {} }) as const),
    ])
  }

  /** What lists show when this turn has ended; the turns of other loops count more. */
  #statusAfter(end: DurableEnd): SessionStatus {
    if (this.#host.isAlone(this)) return restingStatus(end)
    return this.#host.gates.list().some(({ loopId }) => loopId !== this.id) ? 'waiting' : 'running'
  }

  /** The turn only waits for people, of its own or of the agents that it waits for. */
  #waits(turn: ActiveTurn): boolean {
    return turn.waiting || (turn.step?.closed === false && this.#host.agents.waitsForPeople(turn.step))
  }

  #settle(turn: ActiveTurn, ...outcome: Parameters<ActiveTurn['results']>): void {
    for (const result of turn.results(...outcome)) this.#host.settled(result)
  }

  /** What joins a terminal's append: the next queued input's start, else what is cancelled, and the idle events. */
  #afterwards({ outcome }: DurableEnd, handsBack: boolean): Draft {
    const ending = this.#host.ending()
    // who is handed something back begins with it, if it does not work already
    const isLast = !(handsBack && ending === undefined)
    if (ending === 'stop') return joinDrafts(this.cancelQueue(), this.#rest())
    if (outcome === 'failed') return joinDrafts(this.#queue.cancelAll('turn_failed'), this.#rest(isLast))
    if (ending !== undefined) return this.#rest()
    if (outcome === 'done') return this.#startFirst(this.#queue.list(), () => this.#rest(isLast))
    const said = this.#queue.list().filter(({ agency }) => agency === 'user')
    return joinDrafts(
      this.#queue.cancelMachine(),
      this.#startFirst(said, () => this.#rest()),
    )
  }

  /** The loop rests; when it is the last of a session that is being stopped, the session ends. */
  #rest(isLast = true): Draft {
    const isAlone = isLast && this.#host.isAlone(this)
    const idle: EnduringBody[] = [{ type: 'LoopIdle', loopId: this.id }]
    if (isAlone) idle.push({ type: 'SessionIdle' })
    const isStopped = isAlone && this.#host.ending() === 'stop'
    return joinDrafts({ records: this.#drafts(idle) }, isStopped ? this.#host.stopped(this) : undefined)
  }

  /** What a compaction between turns leads to: the turn of what came meanwhile. */
  #afterCompaction(): Draft {
    const started = this.#host.ending() === undefined ? this.#startFirst(this.#queue.list()) : undefined
    return joinDrafts(started, {
      records: [],
      delivered: () => {
        this.#admission.advance()
        this.#host.changed()
      },
    })
  }

  #push(record: StoredRecord | undefined, messages: readonly Message[]): void {
    if (record === undefined) throw new TypeError('a draft was applied without its record')
    this.#history.push(record.seq, messages)
  }

  #drafts(events: readonly EnduringBody[]) {
    return events.map((event) => eventDraft(event, this.#host.ids))
  }
}
