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
} from '@looprig/core'
import type { ToolSpec } from '@looprig/inference'
import type { Tool } from '@looprig/tools'
import type { Clock } from '../clock/clock.ts'
import { type IdSource, newId } from '../clock/id-source.ts'
import { asFault } from '../error/errors.ts'
import type { EnduringBody, EphemeralBody } from '../event/event.ts'
import type { GateDirectory } from '../gate/gate-directory.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { SessionStatus } from '../rig/session-head.ts'
import { turnResult } from '../session/input-tracker.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import type { Draft, SessionLog } from '../session/session-log.ts'
import type { TurnResult } from '../session/submission.ts'
import { InputQueue, type WaitingInput } from './input-queue.ts'
import { runTurn, type TurnEnd } from './turn.ts'
import type { StopReason, TurnHost } from './turn-host.ts'

/** A shutdown parks what is queued for a restore; a stop cancels it. */
export type SessionEnding = 'shutdown' | 'stop'

/** What a loop sees of its session. */
export interface LoopHost {
  readonly log: SessionLog
  readonly gates: GateDirectory
  readonly clock: Clock
  readonly ids: IdSource
  emit(event: EphemeralBody): void
  /** Says whether no other loop of the session works. */
  isAlone(loop: LoopRuntime): boolean
  /** How the session is being ended, once it is. It takes no more work then: nothing queued may start. */
  ending(): SessionEnding | undefined
  /** What ends a session that is being stopped; joins the append in which `loop`, the last that works, comes to rest. */
  stopped(loop: LoopRuntime): Draft
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
  readonly queue: readonly WaitingInput[]
}

interface ActiveTurn extends WaitingInput {
  readonly turnId: TurnId
  readonly turnIndex: number
  readonly stop: AbortController
  waiting: boolean
  usage: Usage
  lastMessage: AIMessage | undefined
}

/** One agent of a session: owns its history, its queue and its running turn. */
export class LoopRuntime {
  readonly id: LoopId
  readonly definition: LoopDefinition
  readonly #host: LoopHost
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #toolSpecs: readonly ToolSpec[]
  readonly #history: Message[]
  readonly #queue: InputQueue
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
    this.#queue = new InputQueue(state.id, state.queue, host.ids, (result) => host.settled(result))
    this.#turnIndex = state.turnIndex
  }

  /** `working` while a turn runs or is about to, `waiting` while its turn only waits for people. */
  get state(): 'idle' | 'working' | 'waiting' {
    const turn = this.#turn
    // a turn that was stopped at its questions ends by itself: nobody has to answer any more
    if (turn !== undefined) return turn.waiting && !turn.stop.signal.aborted ? 'waiting' : 'working'
    return this.#queue.first !== undefined && this.#host.ending() === undefined ? 'working' : 'idle'
  }

  /** The turn that runs, and its input. */
  get active(): { readonly inputId: InputId; readonly turnId: TurnId } | undefined {
    return this.#turn
  }

  get queueIsFull(): boolean {
    return this.#queue.isFull
  }

  /** The committed transcript: a snapshot of frozen messages. */
  history(): readonly Message[] {
    return Object.freeze(this.#history.slice())
  }

  /**
   * What accepting an input leads to: the start of its turn on an idle loop, else a place in the queue. Part of the
   * commit that makes the input durable.
   */
  accept(input: WaitingInput): Draft {
    if (this.state === 'idle') return this.#start(input)
    return {
      records: [],
      apply: () => this.#queue.add(input),
      delivered: () => this.#host.emit({ type: 'InputQueued', loopId: this.id, inputId: input.inputId }),
    }
  }

  /** The end of an input that waits for its turn, taken back by who sent it; nothing when it does not wait here. */
  cancel(inputId: InputId): Draft | undefined {
    return this.#queue.cancel(inputId)
  }

  /** The end of all inputs that wait, since their session is stopped. */
  cancelQueue(): Draft {
    return this.#queue.cancelAll('session_stopped')
  }

  /** Starts the first queued input on a loop that has no turn, after a restore. */
  async startQueued(): Promise<void> {
    await this.#host.log.commit(() => {
      if (this.#turn !== undefined || this.#host.ending() !== undefined) return undefined
      const next = this.#queue.first
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
    // a turn that a fault kept from running has nobody else who would end it
    if (this.#turn === turn) this.#turn = undefined
    return true
  }

  #start(input: WaitingInput): Draft {
    const turnIndex = this.#turnIndex + 1
    const turnId = newId(this.#host.ids, 'TurnId')
    const { inputId, message } = input
    const events: EnduringBody[] = [{ type: 'TurnStarted', loopId: this.id, turnId, inputId, turnIndex, message }]
    if (this.#turn === undefined && this.#host.isAlone(this)) events.push({ type: 'SessionActive' })
    return {
      records: this.#drafts(events),
      head: { status: 'running' },
      apply: () => {
        this.#queue.remove(inputId)
        this.#turnIndex = turnIndex
        this.#history.push(message)
        const stop = new AbortController()
        this.#turn = { ...input, turnId, turnIndex, stop, waiting: false, usage: {}, lastMessage: undefined }
      },
      delivered: () => {
        const turn = this.#turn
        // begins in the next microtask: a client that interrupts at once must find the end to wait for
        if (turn?.turnId === turnId) this.#ended = Promise.resolve().then(() => this.#run(turn))
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
      turn.stop.abort('fault')
      this.#turn = undefined
      this.#host.log.fail(asFault(error))
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
      const ended: Draft = {
        records: this.#drafts([...step, terminal]),
        head: { status: restingStatus(end.outcome) },
        apply: () => {
          this.#take(turn, step)
          this.#turn = undefined
        },
        delivered: () => {
          const error = end.outcome === 'failed' ? end.error : undefined
          this.#host.settled(this.#result(turn, end.outcome, error))
        },
      }
      const next = this.#afterwards(end.outcome)
      return joinDrafts(ended, next, { records: [], delivered: () => this.#host.changed() })
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
    const next = this.#queue.first
    const ending = this.#host.ending()
    if (next !== undefined && outcome !== 'failed' && ending === undefined) return this.#start(next)
    const isAlone = this.#host.isAlone(this)
    const idle: EnduringBody[] = [{ type: 'LoopIdle', loopId: this.id }]
    if (isAlone) idle.push({ type: 'SessionIdle' })
    return joinDrafts(
      ending === 'stop' ? this.cancelQueue() : outcome === 'failed' ? this.#queue.cancelAll('turn_failed') : undefined,
      { records: this.#drafts(idle) },
      isAlone && ending === 'stop' ? this.#host.stopped(this) : undefined,
    )
  }

  #drafts(events: readonly EnduringBody[]) {
    return events.map((event) => eventDraft(event, this.#host.ids))
  }
}

function restingStatus(outcome: 'done' | 'failed' | 'interrupted'): SessionStatus {
  return outcome === 'done' ? 'idle' : outcome
}
