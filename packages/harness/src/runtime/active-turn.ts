import { type AIMessage, addUsage, type InputId, type TurnId, type Usage } from '@looprig/core'
import type { ErrorInfo } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import type { StepDone } from '../event/step-event.ts'
import type { EndOperation } from '../hook/hook-runner.ts'
import { turnResult } from '../session/input-tracker.ts'
import type { TurnResult } from '../session/submission.ts'
import type { LoopConfig } from './loop-config.ts'
import type { OpenStep } from './open-step.ts'

/** What names a turn. */
export interface TurnIdentity {
  readonly turnId: TurnId
  /** The input that began it. */
  readonly inputId: InputId
  readonly turnIndex: number
}

/** What is known of a turn that began before. */
export interface TurnSoFar {
  /** The inputs that joined it. */
  readonly folded: readonly InputId[]
  /** Of its committed steps. */
  readonly usage: Usage
  readonly lastMessage: AIMessage | undefined
}

/** The turn that a loop runs. */
export class ActiveTurn implements TurnIdentity {
  readonly turnId: TurnId
  readonly inputId: InputId
  readonly turnIndex: number
  /** What the loop was when the turn began: a change of mode or model is for the next one. */
  readonly config: LoopConfig
  /** Aborted with a `StopReason`. */
  readonly stop = new AbortController()
  /** The step whose calls run or ran last. */
  step: OpenStep | undefined
  /** It only waits for people. */
  waiting = false
  /** Of what it waits for, only a rule that a person saved is left: it is being written. */
  isSaving = false
  /** Ends what hooks are told of it; absent before they were told, and for a turn that a restore goes on with. */
  endHooks: EndOperation | undefined
  #folded: readonly InputId[]
  #usage: Usage
  #lastMessage: AIMessage | undefined

  constructor({ turnId, inputId, turnIndex }: TurnIdentity, config: LoopConfig, soFar?: TurnSoFar) {
    this.turnId = turnId
    this.inputId = inputId
    this.turnIndex = turnIndex
    this.config = config
    this.#folded = soFar?.folded ?? []
    this.#usage = soFar?.usage ?? {}
    this.#lastMessage = soFar?.lastMessage
  }

  /** All inputs whose outcome is that of this turn. */
  get inputIds(): readonly InputId[] {
    return [this.inputId, ...this.#folded]
  }

  /** A step of it is committed. */
  take({ messages: [answer] }: StepDone): void {
    this.#lastMessage = answer
    this.#usage = addUsage(this.#usage, answer.usage ?? {})
  }

  /** An input joined it. */
  fold(inputId: InputId): void {
    this.#folded = [...this.#folded, inputId]
  }

  /** The outcome of each of its inputs once these events are committed too. */
  resultsAfter(
    events: readonly EnduringBody[],
    status: TurnResult['status'],
    error: ErrorInfo | undefined,
  ): readonly TurnResult[] {
    const last = events.findLast((event) => event.type === 'StepDone')
    const { turnId } = this
    const message = last?.messages[0] ?? this.#lastMessage
    return this.inputIds.map((inputId) => turnResult({ status, inputId, turnId, message, usage: {}, error }))
  }

  /** The outcome of each of its inputs, from what it committed. */
  results(status: TurnResult['status'], error?: ErrorInfo, isStructured?: boolean): readonly TurnResult[] {
    const { turnId } = this
    const [message, usage] = [this.#lastMessage, this.#usage]
    const turn = { status, turnId, message, usage, error, isStructured }
    return this.inputIds.map((inputId) => turnResult({ ...turn, inputId }))
  }
}
