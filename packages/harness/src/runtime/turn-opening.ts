import type { InputId } from '@looprig/core'
import { newId } from '../clock/id-source.ts'
import type { ErrorInfo } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import type { EndOperation, HookRunner } from '../hook/hook-runner.ts'
import { takesMessage } from '../loop/takes-input.ts'
import { joinDrafts } from '../session/join-drafts.ts'
import type { Draft } from '../session/session-log.ts'
import { ActiveTurn } from './active-turn.ts'
import type { InputQueue, WaitingInput } from './input-queue.ts'
import type { LoopHandle } from './loop-handle.ts'
import type { LoopHost } from './loop-host.ts'
import type { LoopRecords } from './loop-records.ts'
import type { LoopSettings } from './loop-settings.ts'
import type { AdmittedTurn } from './turn-admission.ts'

/** How many inputs are rejected in one append at most. */
const maxRejections = 500

/** What the start of a turn concerns. */
export interface TurnOpeningParts {
  readonly loop: LoopHandle
  readonly host: LoopHost
  readonly queue: InputQueue
  readonly records: LoopRecords
  readonly settings: LoopSettings
  readonly hooks: HookRunner
  /** Of the last turn that began; 0 before there was one. */
  readonly turnIndex: number
  /** The start is durable, and nobody was told yet. */
  opened(turn: ActiveTurn): void
  /** It was told: the turn may run, after `beginHooks`. */
  begin(turn: ActiveTurn, beginHooks: () => EndOperation): void
}

/** Decides what is written when a turn of a loop begins, and which input begins it. */
export class TurnOpening {
  readonly #parts: TurnOpeningParts
  #turnIndex: number

  constructor(parts: TurnOpeningParts) {
    this.#parts = parts
    this.#turnIndex = parts.turnIndex
  }

  /** The index of the next turn. */
  get nextIndex(): number {
    return this.#turnIndex + 1
  }

  /** Guards have to judge each turn before it begins. */
  get isGuarded(): boolean {
    return this.#parts.hooks.isGuarded('turn')
  }

  /** The end of an input whose turn a guard denied: it is told to whoever waits for it. */
  denied(input: WaitingInput, error: ErrorInfo): Draft {
    const { loop, host, queue } = this.#parts
    const { inputId } = input
    const result = { status: 'rejected', inputId, text: '', usage: {}, error } as const
    return joinDrafts(
      queue.reject([input], 'denied', error.message),
      this.restWithout(inputId),
      host.agents.handBack(loop, [result]),
    )
  }

  /** An input gets no turn: where nothing else waits or runs, another owner would have no work either. */
  restWithout(inputId: InputId): Draft {
    const { loop, host, queue } = this.#parts
    const isLast = queue.list().every((input) => input.inputId === inputId)
    const rests = loop.active === undefined && isLast && host.isAlone(loop) && !host.works(loop)
    return { records: [], ...(rests ? { wakeAt: null } : {}) }
  }

  /** The start of an input's turn. */
  draft({ inputId, message }: WaitingInput, admitted?: AdmittedTurn): Draft {
    const { loop, host, queue, records, settings, hooks, opened, begin } = this.#parts
    const turnIndex = this.nextIndex
    const turnId = admitted?.turnId ?? newId(host.ids, 'TurnId')
    const subject = () => ({ ...hooks.scope, turnId, inputId, turnIndex, message })
    const events: EnduringBody[] = [{ type: 'TurnStarted', loopId: loop.id, turnId, inputId, turnIndex, message }]
    if (loop.active === undefined && host.isAlone(loop)) events.push({ type: 'SessionActive' })
    const turn = new ActiveTurn({ turnId, inputId, turnIndex }, settings.config)
    return {
      records: records.of(events),
      head: { status: 'running' },
      apply: ([started]) => {
        queue.remove(inputId)
        this.#turnIndex = turnIndex
        records.push(started, [message])
        opened(turn)
      },
      delivered: () => begin(turn, () => admitted?.endHooks ?? hooks.begin('turn', subject)),
    }
  }

  /** The start of the first of `inputs` that the model takes, else what `otherwise` says; those before it are rejected. */
  first(inputs: readonly WaitingInput[], otherwise?: () => Draft): Draft {
    // the loop rests until the next turn is judged; what waits for that is work for the next owner
    if (this.isGuarded) return joinDrafts(otherwise?.(), { records: [], ...(inputs.length > 0 ? { wakeAt: 0 } : {}) })
    const { settings, queue } = this.#parts
    const { model } = settings.config.loop
    const index = inputs.findIndex(({ message }) => takesMessage(model, message))
    const next = inputs[index]
    const rejected = queue.reject(index < 0 ? inputs : inputs.slice(0, index), 'input_invalid')
    return joinDrafts(rejected, next === undefined ? otherwise?.() : this.draft(next))
  }

  /**
   * The start of what waits for a loop that is idle, if it is. What has no place in the queue is rejected before, a part
   * at a time: `isTrimmed` says whether nothing of it is left.
   */
  waiting(isIdle: boolean): { readonly draft: Draft | undefined; readonly isTrimmed: boolean } {
    const { queue } = this.#parts
    const overflow = queue.overflow(isIdle)
    const rejected = overflow.slice(0, maxRejections)
    const isTrimmed = rejected.length === overflow.length
    const waiting = queue.list().filter((input) => !overflow.includes(input))
    const started = isIdle && isTrimmed ? this.first(waiting) : undefined
    const draft = joinDrafts(started, queue.reject(rejected, 'queue_full'))
    return { draft: draft.records.length === 0 ? undefined : draft, isTrimmed }
  }

  /** The start of a turn that its guards let pass, unless its model does not take the input. */
  judged(input: WaitingInput, admitted: AdmittedTurn): Draft {
    const { settings, queue } = this.#parts
    if (takesMessage(settings.config.loop.model, input.message)) return this.draft(input, admitted)
    const endHooks = { records: [], delivered: () => admitted.endHooks('interrupted') }
    return joinDrafts(queue.reject([input], 'input_invalid'), endHooks)
  }
}
