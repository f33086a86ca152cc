import {
  type AIMessage,
  addUsage,
  assertNever,
  deepFreeze,
  type InputId,
  type LoopId,
  type Message,
  type TurnId,
  type Usage,
  type UserMessage,
} from '@looprig/core'
import type { ToolSpec } from '@looprig/inference'
import type { Tool } from '@looprig/tools'
import type { Clock } from '../clock/clock.ts'
import { type IdSource, newId } from '../clock/id-source.ts'
import { SessionFaultedError } from '../error/errors.ts'
import type { EnduringBody, EphemeralBody } from '../event/event.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { SessionStatus } from '../rig/session-head.ts'
import { turnResult } from '../session/input-tracker.ts'
import type { Draft, SessionLog } from '../session/session-log.ts'
import type { TurnResult } from '../session/submission.ts'
import { runTurn, type TurnEnd } from './turn.ts'
import type { StopReason, TurnHost } from './turn-host.ts'

/** An accepted input that waits for its turn. */
export interface QueuedInput {
  readonly inputId: InputId
  readonly message: UserMessage
}

/** What a loop sees of its session. */
export interface LoopHost {
  readonly log: SessionLog
  readonly gates: GateDirectory
  readonly clock: Clock
  readonly ids: IdSource
  emit(event: EphemeralBody): void
  /** Says whether no other loop of the session works. */
  isAlone(loop: LoopRuntime): boolean
  /** The session takes no more work: nothing queued may start. */
  isClosing(): boolean
  /** An input has its outcome; called after its events were delivered. */
  settled(result: TurnResult): void
  /** A turn began, waits, goes on or ended. */
  changed(): void
}

/** What a loop is made of. */
export interface LoopState {
  readonly id: LoopId
  readonly definition: LoopDefinition
  readonly tools: readonly Tool[]
  readonly history: readonly Message[]
  readonly turnIndex: number
  readonly queue: readonly QueuedInput[]
}

interface ActiveTurn extends QueuedInput {
  readonly turnId: TurnId
  readonly turnIndex: number
  readonly stop: AbortController
  waiting: boolean
  usage: Usage
  lastMessage: AIMessage | undefined
}

/** The most inputs that wait for one loop. */
export const queueCapacity = 64

/** One agent of a session: owns its history, its queue and its running turn. */
export class LoopRuntime {
  readonly id: LoopId
  readonly definition: LoopDefinition
  readonly #host: LoopHost
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #toolSpecs: readonly ToolSpec[]
  readonly #history: Message[]
  readonly #queue: QueuedInput[]
  #turnIndex: number
  #turn: ActiveTurn | undefined
  #ended: Promise<void> = Promise.resolve()

  constructor(state: LoopState, host: LoopHost) {
    this.id = state.id
    this.definition = state.definition
    this.#host = host
    this.#tools = new Map(state.tools.map((tool) => [tool.info.name, tool]))
    this.#toolSpecs = deepFreeze(
      state.tools.map(({ info: { name, description, inputSchema } }) => ({ name, description, inputSchema })),
    )
    this.#history = [...state.history]
    this.#queue = [...state.queue]
    this.#turnIndex = state.turnIndex
  }

  /** `working` while a turn runs or is about to, `waiting` while its turn only waits for people. */
  get state(): 'idle' | 'working' | 'waiting' {
    const turn = this.#turn
    // a turn that was stopped at its questions ends by itself: nobody has to answer any more
    if (turn !== undefined) return turn.waiting && !turn.stop.signal.aborted ? 'waiting' : 'working'
    return this.#queue.length > 0 && !this.#host.isClosing() ? 'working' : 'idle'
  }

  /** The turn that runs, and its input. */
  get active(): { readonly inputId: InputId; readonly turnId: TurnId } | undefined {
    return this.#turn
  }

  get queueIsFull(): boolean {
    return this.#queue.length >= queueCapacity
  }

  /** The committed transcript: a snapshot of frozen messages. */
  history(): readonly Message[] {
    return Object.freeze(this.#history.slice())
  }

  /**
   * What accepting an input leads to: the start of its turn on an idle loop, else a place in the queue. Part of the
   * commit that makes the input durable.
   */
  accept(input: QueuedInput): Draft {
    if (this.state === 'idle') return this.#start(input)
    return {
      records: [],
      apply: () => this.#queue.push(input),
      delivered: () => this.#host.emit({ type: 'InputQueued', loopId: this.id, inputId: input.inputId }),
    }
  }

  /** Starts the first queued input on a loop that has no turn, after a restore. */
  async startQueued(): Promise<void> {
    await this.#host.log.commit(() => {
      if (this.#turn !== undefined || this.#host.isClosing()) return undefined
      const [next] = this.#queue
      return next === undefined ? undefined : this.#start(next)
    })
  }

  /**
   * Stops the running turn and resolves when its end is durable: true if there was one. A shutdown parks a turn that
   * only waits for people.
   */
  async stop(reason: Exclude<StopReason, 'park'>): Promise<boolean> {
    const turn = this.#turn
    if (turn === undefined) return false
    turn.stop.abort(reason === 'shutdown' && turn.waiting ? 'park' : reason)
    await this.#ended
    return true
  }

  #start(input: QueuedInput): Draft {
    const turnIndex = this.#turnIndex + 1
    const turnId = newId(this.#host.ids, 'TurnId')
    const { inputId, message } = input
    const events: EnduringBody[] = [{ type: 'TurnStarted', loopId: this.id, turnId, inputId, turnIndex, message }]
    if (this.#turn === undefined && this.#host.isAlone(this)) events.push({ type: 'SessionActive' })
    return {
      records: this.#drafts(events),
      head: { status: 'running' },
      apply: () => {
        if (this.#queue[0]?.inputId === inputId) this.#queue.shift()
        this.#turnIndex = turnIndex
        this.#history.push(message)
        const stop = new AbortController()
        this.#turn = { ...input, turnId, turnIndex, stop, waiting: false, usage: {}, lastMessage: undefined }
      },
      delivered: () => {
        if (this.#turn?.turnId === turnId) this.#ended = this.#run(this.#turn)
        this.#host.changed()
      },
    }
  }

  async #run(turn: ActiveTurn): Promise<void> {
    try {
      const end = await runTurn(this.#turnHost(turn))
      await this.#end(turn, end)
    } catch (error) {
      // whatever escapes a turn means that memory and journal may differ: only a restore may go on
      const fault = error instanceof SessionFaultedError ? error : new SessionFaultedError('internal', { cause: error })
      turn.stop.abort('fault')
      this.#turn = undefined
      this.#host.log.fail(fault)
    }
  }

  #turnHost(turn: ActiveTurn): TurnHost {
    const { log, gates, clock, ids } = this.#host
    return {
      loop: this.definition,
      turnId: turn.turnId,
      tools: this.#tools,
      toolSpecs: this.#toolSpecs,
      gates,
      clock,
      ids,
      signal: turn.stop.signal,
      newStep: () => ({ loopId: this.id, turnId: turn.turnId, stepId: newId(ids, 'StepId') }),
      history: () => this.history(),
      commit: (decide) => log.commit(decide),
      commitStep: (events) =>
        log.commit(() => ({ records: this.#drafts(events), apply: () => this.#take(turn, events) })),
      emit: (event) => this.#host.emit(event),
      setWaiting: (waiting) => {
        turn.waiting = waiting
        this.#host.changed()
      },
    }
  }

  /** Moves a committed step into history. */
  #take(turn: ActiveTurn, events: readonly EnduringBody[]): void {
    for (const event of events) {
      if (event.type === 'GateResolved') this.#host.gates.resolve(event.gateId, undefined)
      if (event.type !== 'StepDone') continue
      this.#history.push(...event.messages)
      turn.lastMessage = event.messages[0]
      turn.usage = addUsage(turn.usage, event.messages[0].usage ?? {})
    }
  }

  async #end(turn: ActiveTurn, end: TurnEnd): Promise<void> {
    if (end.outcome === 'parked') {
      this.#turn = undefined
      this.#host.settled(this.#result(turn, 'waiting'))
      return
    }
    await this.#host.log.commit(() => {
      const step = end.step()
      const terminal = this.#terminal(turn, end)
      const next = this.#afterwards(end.outcome)
      return {
        records: [...this.#drafts([...step, terminal]), ...next.records],
        head: next.head ?? { status: restingStatus(end.outcome) },
        apply: () => {
          this.#take(turn, step)
          this.#turn = undefined
          next.apply?.()
        },
        delivered: () => {
          const error = end.outcome === 'failed' ? end.error : undefined
          this.#host.settled(this.#result(turn, end.outcome, error))
          next.delivered?.()
          this.#host.changed()
        },
      }
    })
  }

  #result(turn: ActiveTurn, status: TurnResult['status'], error?: TurnResult['error']): TurnResult {
    const { inputId, turnId, usage } = turn
    return turnResult({ status, inputId, turnId, message: turn.lastMessage, usage, error })
  }

  #terminal(turn: ActiveTurn, end: Exclude<TurnEnd, { outcome: 'parked' }>): EnduringBody {
    const { turnId, inputId, turnIndex } = turn
    const scope = { loopId: this.id, turnId, inputId, turnIndex }
    switch (end.outcome) {
      case 'done':
        return { type: 'TurnDone', ...scope, usage: end.usage }
      case 'failed':
        return { type: 'TurnFailed', ...scope, error: end.error }
      case 'interrupted':
        return { type: 'TurnInterrupted', ...scope }
      default:
        return assertNever(end, 'turn end')
    }
  }

  /** What joins a terminal's append: the next queued input's start, or the cancelled queue, and the idle events. */
  #afterwards(outcome: 'done' | 'failed' | 'interrupted'): Draft {
    const [next] = this.#queue
    if (next !== undefined && outcome !== 'failed' && !this.#host.isClosing()) return this.#start(next)
    const cancelled = outcome === 'failed' ? [...this.#queue] : []
    const events: EnduringBody[] = cancelled.map(({ inputId, message }) => ({
      type: 'InputCancelled',
      loopId: this.id,
      inputId,
      reason: 'turn_failed',
      message,
    }))
    events.push({ type: 'LoopIdle', loopId: this.id })
    if (this.#host.isAlone(this)) events.push({ type: 'SessionIdle' })
    return {
      records: this.#drafts(events),
      apply: () => this.#queue.splice(0, cancelled.length),
      delivered: () => {
        for (const { inputId } of cancelled) {
          this.#host.settled({ status: 'cancelled', inputId, text: '', usage: {} })
        }
      },
    }
  }

  #drafts(events: readonly EnduringBody[]) {
    return events.map((event) => eventDraft(event, this.#host.ids))
  }
}

function restingStatus(outcome: 'done' | 'failed' | 'interrupted'): SessionStatus {
  return outcome === 'done' ? 'idle' : outcome
}
