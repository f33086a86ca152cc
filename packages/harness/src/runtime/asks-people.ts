import type { LoopHost } from './loop-host.ts'
import type { OpenStep } from './open-step.ts'

/** Says whether each call of a step that runs has asked a question, or waits for an agent all of whose turn waits for people. */
export function asksPeople(step: OpenStep, { gates, agents }: Pick<LoopHost, 'gates' | 'agents'>): boolean {
  const asked = new Set(gates.ofStep(step.scope.stepId).map((gate) => gate.toolExecutionId))
  const running = step.calls.filter((call) => call.spawned && call.result === undefined)
  return running.length > 0 && running.every((call) => asked.has(call.executionId) || agents.isAsking(call))
}
