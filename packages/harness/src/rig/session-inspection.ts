import type {
  InputId,
  LoopId,
  Message,
  SessionId,
  ToolExecutionId,
  ToolResultMessage,
  TurnId,
  Usage,
  UserMessage,
} from '@looprig/core'
import type { Model } from '@looprig/inference'
import type { AgentCaller } from '../delegate/agent-caller.ts'
import type { OpenGate } from '../gate/open-gate.ts'
import type { Manifest } from './manifest.ts'
import type { SessionStatus } from './session-head.ts'

/** An accepted input that has no turn yet. */
export interface QueuedInput {
  readonly inputId: InputId
  readonly message: UserMessage
}

/** One call of an open step. */
export interface CallInspection {
  readonly executionId: ToolExecutionId
  readonly toolUseId: string
  readonly name: string
  /** Its start is recorded: it may have had its effect. A replay-safe call may run without a record. */
  readonly started: boolean
  /** What a close would keep: it ended, was refused, or a person denied it. Absent while nobody can tell. */
  readonly result?: ToolResultMessage
}

/** A turn that had not ended at the tip. */
export interface TurnInspection {
  readonly turnId: TurnId
  readonly inputId: InputId
  readonly turnIndex: number
  /** The calls of its open step, in call order; none before a step is recorded. Steps of replay-safe calls never are. */
  readonly calls: readonly CallInspection[]
  /** What waits for a person, the oldest first. */
  readonly gates: readonly OpenGate[]
}

/** One loop of a session. */
export interface LoopInspection {
  readonly loopId: LoopId
  readonly name: string
  /** The call that started it as an agent; absent for a loop that started with its session. */
  readonly parent?: AgentCaller
  /** What its parent calls it. */
  readonly label?: string
  /** Of its next turn; `''` is the base mode. */
  readonly mode: string
  /** What `setModel` chose last; a mode with a model of its own may count more. */
  readonly model?: Model
  /** The committed transcript as its model sees it: after a compaction the summary, then what was kept. */
  readonly history: readonly Message[]
  /** Of the last turn that began; 0 before there was one. */
  readonly turnIndex: number
  /** In the order in which they will run. */
  readonly queued: readonly QueuedInput[]
  readonly turn?: TurnInspection
  /** The sum over all model responses in the journal, that of an open step and those of summaries included. */
  readonly usage: Usage
}

/** A session as its journal stood at one moment. Frozen all the way down. */
export interface SessionInspection {
  readonly id: SessionId
  /** `none`: no process held the session at the tip. `live`: one does, or wrote past the tip since. */
  readonly owner: 'live' | 'none'
  /** Where the session stood at the tip; without an owner, a turn that runs on paper is `interrupted`. */
  readonly status: SessionStatus
  /** From the first input; `''` before there was one. */
  readonly title: string
  readonly manifest: Manifest
  /** The seq of the last record that was read: what `subscribe({ since })` goes on from. */
  readonly tip: number
  /** In the order of the rig that made the session; the first takes the inputs. */
  readonly loops: readonly LoopInspection[]
}
