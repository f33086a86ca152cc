import type { ToolExecutionId } from '@looprig/core'
import type { ToolResult } from '@looprig/tools'
import type { ListAgentsRequest, MessageAgentRequest, StartAgentRequest, StopAgentRequest } from './agent-request.ts'

/** Which call of a loop asks. */
export interface AgentCall {
  readonly executionId: ToolExecutionId
  /** Aborted when the turn of the call is stopped. */
  readonly signal: AbortSignal
}

/** What the agent tools of one loop drive: the agents that this loop started, and no other. */
export interface AgentController {
  start(call: AgentCall, request: StartAgentRequest): Promise<ToolResult>
  message(call: AgentCall, request: MessageAgentRequest): Promise<ToolResult>
  list(request: ListAgentsRequest): ToolResult
  stop(request: StopAgentRequest): Promise<ToolResult>
}

/** Where the agent tools of one loop find their controller: they are built before their session is there. */
export interface AgentSeat {
  controller?: AgentController
}
