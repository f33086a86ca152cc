import type { ToolExecutionId } from '@looprig/core'
import type { StepScope } from './step-event.ts'

/** A call was decided without asking a person. */
export interface PermissionDecided extends StepScope {
  readonly type: 'PermissionDecided'
  readonly toolExecutionId: ToolExecutionId
  readonly effect: 'approve' | 'deny'
  /** Who decided: configured access, a source that failed, a missing gate, or nobody was there to ask. */
  readonly reason: 'access_evaluated' | 'access_denied' | 'access_error' | 'access_gate_missing' | 'approval_required'
  /** The tool's name. */
  readonly subject: string
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
