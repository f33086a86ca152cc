import {
  type AIMessage,
  addUsage,
  type GateId,
  type InputId,
  type LoopId,
  type Message,
  type ToolExecutionId,
  type ToolResultMessage,
  type TurnId,
  type Usage,
  type UserMessage,
} from '@looprig/core'
import type { PermissionRequested } from '../event/gate-event.ts'
import type { StepDone } from '../event/step-event.ts'
import type { TurnStarted } from '../event/turn-event.ts'
import type { StepBody } from '../journal/record-body.ts'

/** A step that has a record and no `StepDone`. */
export interface StepFold {
  readonly body: StepBody
  /** The calls whose start is recorded. */
  readonly runs: Set<ToolExecutionId>
  /** The results that were written before the step ended. */
  readonly ends: Map<ToolExecutionId, ToolResultMessage>
  /** The gates that are open. */
  readonly openGates: Map<GateId, PermissionRequested>
  /** The calls that a person denied. */
  readonly denied: Map<ToolExecutionId, PermissionRequested>
}

/** A turn that has not ended. */
export interface TurnFold {
  readonly turnId: TurnId
  readonly inputId: InputId
  readonly turnIndex: number
  step: StepFold | undefined
  usage: Usage
  lastMessage: AIMessage | undefined
}

/** One loop as its records tell it. */
export class LoopFold {
  readonly loopId: LoopId
  readonly name: string
  readonly history: Message[] = []
  /** Accepted inputs without a resolution, in seq order. */
  readonly queue = new Map<InputId, UserMessage>()
  turnIndex = 0
  turn: TurnFold | undefined

  constructor(loopId: LoopId, name: string) {
    this.loopId = loopId
    this.name = name
  }

  startTurn({ turnId, inputId, turnIndex, message }: TurnStarted): void {
    this.queue.delete(inputId)
    this.history.push(message)
    this.turnIndex = turnIndex
    this.turn = { turnId, inputId, turnIndex, step: undefined, usage: {}, lastMessage: undefined }
  }

  finishStep({ messages }: StepDone): void {
    this.history.push(...messages)
    if (this.turn === undefined) return
    this.turn.step = undefined
    this.turn.lastMessage = messages[0]
    this.turn.usage = addUsage(this.turn.usage, messages[0].usage ?? {})
  }

  openStep(body: StepBody): void {
    if (this.turn === undefined) return
    this.turn.step = { body, runs: new Set(), ends: new Map(), openGates: new Map(), denied: new Map() }
  }
}
