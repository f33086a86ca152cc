import type { GateId, ToolExecutionId } from '@looprig/core'
import type { Requirement, ToolRequest } from '@looprig/tools'
import type { StepScope } from './step-event.ts'

/** What a person may answer. */
export type GateAction = 'approve' | 'deny'

/** A call waits for a person. Slot `gate/<gateId>`. */
export interface PermissionRequested extends StepScope {
  readonly type: 'PermissionRequested'
  readonly gateId: GateId
  readonly toolExecutionId: ToolExecutionId
  readonly request: ToolRequest
  /** The requirements that configuration does not allow by itself. */
  readonly unmet: readonly Requirement[]
  readonly actions: readonly GateAction[]
}

/** A gate closed; the first resolution counts. Slot `gate/<gateId>/end`. */
export interface GateResolved extends StepScope {
  readonly type: 'GateResolved'
  readonly gateId: GateId
  readonly toolExecutionId: ToolExecutionId
  /** `answered` by a person, or `abandoned` because its turn ended. */
  readonly reason: 'answered' | 'abandoned'
  /** The answer. */
  readonly action?: GateAction
  /** Who answered, as the caller named them. */
  readonly by?: string
}
