import type { IdSource } from '../clock/id-source.ts'
import { eventDraft, stepDraft } from '../journal/record-draft.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import { type OpenStep, openStepBody } from '../runtime/open-step.ts'
import type { Draft } from '../session/session-log.ts'
import { answerRoom } from './agent-answer.ts'
import type { AgentCaller } from './agent-caller.ts'
import type { AgentCall } from './agent-controller.ts'
import type { JsonRoom } from './fit-json.ts'

/** A call, its step and its loop. */
export interface CallInStep {
  readonly parent: LoopRuntime
  readonly step: OpenStep
  readonly caller: AgentCaller
}

/** Finds the step in which a call runs; nothing when its turn is over. */
export function callInStep(parent: LoopRuntime, { executionId }: AgentCall): CallInStep | undefined {
  const step = parent.openStep
  if (step?.calls.some((call) => call.executionId === executionId) !== true) return undefined
  return { parent, step, caller: { ...step.scope, toolExecutionId: executionId } }
}

/** Makes the step durable with the first thing that one of its calls starts. */
export function recordStep({ step }: CallInStep, ids: IdSource): Draft {
  const decisions = step.decisions.map((decision) => eventDraft(decision, ids))
  return {
    records: step.recorded ? decisions : [stepDraft(openStepBody(step)), ...decisions],
    apply: () => {
      step.recorded = true
      step.decisions = []
    },
  }
}

/** The room of the call's result. */
export function roomOf({ parent, step }: CallInStep): JsonRoom {
  return answerRoom(step.calls.length, parent.limits.resultBytes)
}
