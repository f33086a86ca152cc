import {
  type AIMessage,
  addUsage,
  type InputId,
  type LoopId,
  type ToolExecutionId,
  type ToolResultMessage,
  type TurnId,
  type Usage,
} from '@looprig/core'
import type { AgentCaller } from '../delegate/agent-caller.ts'
import type { CompactionCommitted } from '../event/context-event.ts'
import type { LoopStarted } from '../event/loop-event.ts'
import type { StepDone } from '../event/step-event.ts'
import type { TurnFoldedInto, TurnStarted } from '../event/turn-event.ts'
import type { StepBody } from '../journal/record-body.ts'
import type { LoopChoice } from '../loop/loop-choice.ts'
import { History } from '../runtime/history.ts'
import type { WaitingInput } from '../runtime/input-queue.ts'
import { addResponse } from '../runtime/turn-progress.ts'
import { GateFold } from './gate-fold.ts'

/** A step that has a record and no `StepDone`. */
export interface StepFold {
  readonly body: StepBody
  /** The calls whose start is recorded. */
  readonly runs: Set<ToolExecutionId>
  /** The results that were written before the step ended. */
  readonly ends: Map<ToolExecutionId, ToolResultMessage>
  readonly gates: GateFold
  /** What its calls asked of agents. */
  readonly agents: Map<ToolExecutionId, InputId>
}

/** A turn that has not ended. */
export interface TurnFold {
  readonly turnId: TurnId
  readonly inputId: InputId
  readonly turnIndex: number
  /** What was chosen of its loop when it began: a later choice is for the next turn. */
  readonly choice: LoopChoice
  /** The inputs that joined it. */
  readonly folded: InputId[]
  step: StepFold | undefined
  /** Of its committed steps, as are `iterations` and `calls`. */
  usage: Usage
  iterations: number
  calls: number
  lastMessage: AIMessage | undefined
}

/** One loop as its records tell it. */
export class LoopFold {
  readonly loopId: LoopId
  readonly name: string
  readonly history = new History()
  /** Accepted inputs without a resolution, in seq order. */
  readonly queue = new Map<InputId, WaitingInput>()
  turnIndex = 0
  turn: TurnFold | undefined
  /** What was chosen of it: the last choices count. */
  choice: LoopChoice
  /** What all recorded model responses cost, those of summaries too. */
  usage: Usage = {}

  /** The call that started it as an agent. */
  readonly parent: AgentCaller | undefined
  /** What its parent calls it. */
  readonly label: string | undefined

  constructor(loopId: LoopId, name: string, mode = '', { parent, label }: Pick<LoopStarted, 'parent' | 'label'> = {}) {
    this.parent = parent
    this.label = label
    this.loopId = loopId
    this.name = name
    this.choice = { mode }
  }

  startTurn(seq: number, { turnId, inputId, turnIndex, message }: TurnStarted): void {
    this.queue.delete(inputId)
    this.history.push(seq, [message])
    this.turnIndex = turnIndex
    const { choice } = this
    const none = { step: undefined, usage: {}, iterations: 0, calls: 0, lastMessage: undefined }
    this.turn = { turnId, inputId, turnIndex, choice, folded: [], ...none }
  }

  /** An input joins the turn that runs. */
  fold(seq: number, { inputId, message }: TurnFoldedInto): void {
    this.queue.delete(inputId)
    this.history.push(seq, [message])
    this.turn?.folded.push(inputId)
  }

  finishStep(seq: number, { messages }: StepDone): void {
    this.history.push(seq, messages)
    this.usage = addUsage(this.usage, messages[0].usage ?? {})
    if (this.turn === undefined) return
    this.turn.step = undefined
    this.turn.lastMessage = messages[0]
    const { usage, iterations, calls } = addResponse(this.turn, messages[0], messages.length - 1)
    Object.assign(this.turn, { usage, iterations, calls })
  }

  /** Says whether a compaction is one of this history; a false one changes nothing. */
  compact({ through, tailFrom, summary, usage }: CompactionCommitted): boolean {
    const isKept = this.history.entries().some(({ seq }) => seq === tailFrom)
    if (through !== this.history.lastSeq || !(isKept || tailFrom === through + 1)) return false
    this.history.replace(through, summary, tailFrom)
    this.usage = addUsage(this.usage, usage)
    return true
  }

  openStep(body: StepBody): void {
    if (this.turn === undefined) return
    this.turn.step = { body, runs: new Set(), ends: new Map(), gates: new GateFold(), agents: new Map() }
  }
}
