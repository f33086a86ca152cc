import type { InputId, LoopId } from '@looprig/core'
import type { ToolResult } from '@looprig/tools'
import type { LoopFold, StepFold } from '../restore/loop-fold.ts'
import { shapeResult } from '../runtime/result-message.ts'
import type { TurnResult } from '../session/submission.ts'
import { type AgentIdentity, answerResult, answerRoom, deliveredResult } from './agent-answer.ts'
import type { AgentCaller } from './agent-caller.ts'

type Loops = ReadonlyMap<LoopId, LoopFold>

/** Folds a request of a call to an agent: one that does not wait has its result with it. */
export function foldRequest(loops: Loops, agentId: LoopId, inputId: InputId, caller: AgentCaller): void {
  const step = stepOf(loops, caller)
  const agent = loops.get(agentId)
  if (step === undefined || agent === undefined) return
  step.agents.set(caller.toolExecutionId, inputId)
  if (caller.background !== true) return
  const call = step.body.calls.find(({ executionId }) => executionId === caller.toolExecutionId)
  const delivery = agent.turn === undefined ? 'accepted' : 'accepted_pending'
  const named = call?.name === 'StartAgent' ? undefined : delivery
  endCall(step, caller, deliveredResult(identityOf(agent), 'working', named, answerRoom(step.body.calls.length)))
}

/** Folds what became of a request: it is the result of the call that waits for it, whenever the process ends. */
export function foldOutcome(loops: Loops, agentId: LoopId, caller: AgentCaller, outcome: TurnResult): void {
  const step = stepOf(loops, caller)
  const agent = loops.get(agentId)
  if (step === undefined || agent === undefined || caller.background === true) return
  const state = agent.queue.size > 0 ? 'working' : 'idle'
  endCall(step, caller, answerResult(identityOf(agent), outcome, state, answerRoom(step.body.calls.length)))
}

/** An agent as its parent knows it. */
export function identityOf({ loopId, name, label }: LoopFold): AgentIdentity {
  return { agentId: loopId, name: label ?? name }
}

/** The step of a call, while it is open. */
export function stepOf(loops: Loops, { loopId, stepId }: AgentCaller): StepFold | undefined {
  const step = loops.get(loopId)?.turn?.step
  return step?.body.stepId === stepId ? step : undefined
}

function endCall(step: StepFold, { toolExecutionId }: AgentCaller, result: ToolResult): void {
  const { calls } = step.body
  const call = calls.find(({ executionId }) => executionId === toolExecutionId)
  if (call === undefined || step.ends.has(toolExecutionId)) return
  const { journalBytes } = answerRoom(calls.length)
  step.ends.set(toolExecutionId, shapeResult(call.toolUseId, result, journalBytes).message)
}
