import type { ToolExecutionId } from '@looprig/core'
import type { Rule } from '@looprig/tools'
import type { DenyReason } from './gate-event.ts'
import type { StepScope } from './step-event.ts'

/** A call was decided without asking a person. */
export interface PermissionDecided extends StepScope {
  readonly type: 'PermissionDecided'
  readonly toolExecutionId: ToolExecutionId
  readonly effect: 'approve' | 'deny'
  /**
   * Who decided: configured access, a stored rule, a source of either that failed, a missing gate, nobody was there to
   * ask, or (`gate_capacity`) too many gates were open already.
   */
  readonly reason: 'access_evaluated' | 'rule_allowed' | DenyReason | 'access_gate_missing' | 'gate_capacity'
  /** The tool's name. */
  readonly subject: string
  /** The stored rule that decided; of several, that of the first requirement. */
  readonly rule?: Rule
}

/** A call began. Ephemeral. A call that was refused starts and completes at once. */
export interface ToolCallStarted extends StepScope {
  readonly type: 'ToolCallStarted'
  readonly toolExecutionId: ToolExecutionId
  readonly toolUseId: string
  readonly toolName: string
  /** One line of what it does, without secrets. */
  readonly summary: string
}

/** What a running call tells of itself, at most every 100 ms. Ephemeral; the next one replaces it. */
export interface ToolProgress extends StepScope {
  readonly type: 'ToolProgress'
  readonly toolExecutionId: ToolExecutionId
  readonly toolUseId: string
  /** At most 2 KiB. */
  readonly text: string
}

/** A call ended. Ephemeral; the result is in `StepDone`. */
export interface ToolCallCompleted extends StepScope {
  readonly type: 'ToolCallCompleted'
  readonly toolExecutionId: ToolExecutionId
  readonly toolUseId: string
  readonly toolName: string
  readonly isError: boolean
  readonly code?: string
  /** The start of the result's text: at most 2 KiB and 20 lines. */
  readonly resultPreview: string
  readonly durationMs: number
}
