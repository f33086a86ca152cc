import type { EnduringBody } from '../event/event.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import type { Draft } from '../session/session-log.ts'
import type { ActiveTurn } from './active-turn.ts'
import type { InputQueue, WaitingInput } from './input-queue.ts'
import type { LoopHandle } from './loop-handle.ts'
import type { LoopHost } from './loop-host.ts'
import type { LoopRecords } from './loop-records.ts'
import { type DurableEnd, restingStatus, terminalEvent } from './turn-end.ts'

/** What the end of a turn concerns. */
export interface TurnClosingParts {
  readonly loop: LoopHandle
  readonly host: LoopHost
  readonly queue: InputQueue
  readonly records: LoopRecords
  /** The start of the first of `inputs` that the loop takes, else what `otherwise` says. */
  startFirst(inputs: readonly WaitingInput[], otherwise: () => Draft): Draft
}

/** Decides what is written when a turn of a loop ends: its last step, its terminal, and all that follows from it. */
export class TurnClosing {
  readonly #parts: TurnClosingParts

  constructor(parts: TurnClosingParts) {
    this.#parts = parts
  }

  /** One append; `ended` runs when it is durable and before the next turn of the loop is there. */
  draft(turn: ActiveTurn, end: DurableEnd, ended: () => void): Draft {
    const { loop, records } = this.#parts
    const events = end.step()
    const handBack = this.#handBack(turn, end, events)
    const terminal: Draft = {
      records: records.of([terminalEvent(loop.id, turn, end)]),
      ...this.#standingAfter(end),
      apply: ended,
      delivered: () => {
        const error = end.outcome === 'failed' ? end.error : undefined
        this.settle(turn, end.outcome, error, end.outcome === 'done' && end.isStructured)
        turn.endHooks?.(end.outcome === 'done' ? 'completed' : end.outcome)
      },
    }
    // who is handed something back may begin with it at once
    const goesOn = handBack?.head?.status === 'running'
    return joinDrafts(records.step(turn, events), terminal, this.#afterwards(end, goesOn), handBack)
  }

  /** Gives each input of a turn its outcome. */
  settle(turn: ActiveTurn, ...outcome: Parameters<ActiveTurn['results']>): void {
    for (const result of turn.results(...outcome)) this.#parts.host.settled(result)
  }

  /**
   * What tells the loop that started this one how the turn ended, and of the requests that end with it. An interrupt is
   * an act of the person or of that loop itself: nothing of it is told.
   */
  #handBack(turn: ActiveTurn, { outcome, ...end }: DurableEnd, events: readonly EnduringBody[]): Draft | undefined {
    if (outcome === 'interrupted' && turn.stop.signal.reason === 'interrupt') return undefined
    const { host, loop, queue } = this.#parts
    const results = turn.resultsAfter(events, outcome, 'error' in end ? end.error : undefined)
    const dropped = outcome === 'failed' ? queue.list() : []
    return host.agents.handBack(loop, [
      ...results,
      ...dropped.map(({ inputId }) => ({ status: 'cancelled', inputId, text: '', usage: {} }) as const),
    ])
  }

  /** What lists show when this turn has ended, and what is work for another owner; the turns of other loops count more. */
  #standingAfter(end: DurableEnd): Omit<Draft, 'records'> {
    const { host, loop } = this.#parts
    if (host.isAlone(loop)) return { head: { status: restingStatus(end) } }
    const isWaiting = host.gates.list().some(({ loopId }) => loopId !== loop.id)
    if (!isWaiting) return { head: { status: 'running' } }
    return { head: { status: 'waiting' }, ...host.gates.wakeAt({ works: host.works(loop) }) }
  }

  /**
   * What joins a terminal's append: the next queued input's start, else what is cancelled, and the idle events.
   *
   * @param goesOn - another loop begins a turn in the same append.
   */
  #afterwards({ outcome }: DurableEnd, goesOn: boolean): Draft {
    const { host, queue, startFirst } = this.#parts
    const ending = host.ending()
    if (ending === 'stop') return joinDrafts(queue.cancelAll('session_stopped'), this.#rest(goesOn))
    if (outcome === 'failed') return joinDrafts(queue.cancelAll('turn_failed'), this.#rest(goesOn))
    if (ending !== undefined) {
      const kept = queue.first === undefined ? {} : { wakeAt: 0 }
      return joinDrafts(this.#rest(goesOn), { records: [], ...kept })
    }
    if (outcome === 'done') return startFirst(queue.list(), () => this.#rest(goesOn))
    const said = queue.list().filter(({ agency }) => agency === 'user')
    return joinDrafts(
      queue.cancelMachine(),
      startFirst(said, () => this.#rest(goesOn)),
    )
  }

  /** The loop rests; when it is the last of a session that is being stopped, the session ends. */
  #rest(goesOn: boolean): Draft {
    const { host, loop, records } = this.#parts
    const isAlone = !goesOn && host.isAlone(loop)
    const idle: EnduringBody[] = [{ type: 'LoopIdle', loopId: loop.id }]
    if (isAlone) idle.push({ type: 'SessionIdle' })
    const isStopped = isAlone && host.ending() === 'stop'
    // what waits for another loop is work for the next owner, should this one be lost
    const waiting = host.works(loop) ? { wakeAt: 0 } : {}
    return joinDrafts({ records: records.of(idle), ...waiting }, isStopped ? host.stopped(loop) : undefined)
  }
}
