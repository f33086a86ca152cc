import type { FinishReason } from '@looprig/core'
import { type AIMessage, assertNever, type RawToolCall } from '@looprig/core'
import { errorResult, type Requirement, ToolError, type ToolResult, thrownResult } from '@looprig/tools'
import { newId } from '../clock/id-source.ts'
import type { StepScope } from '../event/step-event.ts'
import type { PermissionDecided } from '../event/tool-event.ts'
import { checkEvaluation } from '../gate/check-evaluation.ts'
import type { Evaluation } from '../gate/gate.ts'
import { freezeCall } from './freeze-call.ts'
import type { OpenStep } from './open-step.ts'
import { shapeResult } from './result-message.ts'
import { isRunnable, type RunnableCall, type StepCall, unknownTool } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'
import { untilAborted } from './until-aborted.ts'

/** A call that a person has to decide. */
export interface AskedCall {
  readonly call: RunnableCall
  readonly unmet: readonly Requirement[]
}

/** All results of one step together stay below this, so that its record always fits the journal. */
const maxStepResultBytes = 6 * 1024 * 1024

/** The cap of one result in a step of `calls` calls. */
export function resultCap(host: TurnHost, calls: number): number {
  return Math.max(256, Math.min(host.loop.limits.resultBytes, Math.floor(maxStepResultBytes / calls)))
}

/** Makes the open step of a response: every call with an id of its own. */
export function openStep(host: TurnHost, scope: StepScope, message: AIMessage, raw: readonly RawToolCall[]): OpenStep {
  const calls = raw.map(
    ({ toolUseId, name, argsJson }): StepCall => ({
      executionId: newId(host.ids, 'ToolExecutionId'),
      toolUseId,
      name,
      argsJson,
      tool: host.tools.get(name),
      prepared: undefined,
      gateId: undefined,
      approved: false,
      recorded: false,
      spawned: false,
      result: undefined,
    }),
  )
  return { scope, message, calls, decisions: [], recorded: false, closed: false }
}

/**
 * Prepares every call once and has the gate judge it, in call order, before any of them runs. Refused calls get their
 * result here; what is left is allowed, or returned to be asked.
 */
export async function decideCalls(
  host: TurnHost,
  step: OpenStep,
  finishReason: FinishReason,
): Promise<readonly AskedCall[]> {
  const refuse = (call: StepCall, result: ToolResult) => {
    call.result = shapeResult(call.toolUseId, result, resultCap(host, step.calls.length))
  }
  for (const call of step.calls) {
    if (host.signal.aborted) return []
    const refused = await prepare(host, call, finishReason)
    if (refused !== undefined) refuse(call, refused)
  }
  const asked: AskedCall[] = []
  for (const call of step.calls) {
    if (!isRunnable(call)) continue
    const { request } = call.prepared
    if (request.requirements.length === 0) continue
    const evaluation = await evaluate(host, call)
    if (host.signal.aborted) return []
    if (evaluation.decision === 'ask') {
      asked.push({ call, unmet: evaluation.unmet })
      continue
    }
    step.decisions.push(decided(step.scope, call, evaluation))
    if (evaluation.decision === 'deny') refuse(call, deniedResult(evaluation))
  }
  return asked
}

/** Freezes what a call will do; returns the result of a call that cannot be prepared. */
async function prepare(host: TurnHost, call: StepCall, finishReason: FinishReason): Promise<ToolResult | undefined> {
  if (call.tool === undefined) return unknownTool(call.name)
  if (finishReason === 'length' && call.argsJson.trim() === '') return cutOff()
  try {
    const { executionId, toolUseId } = call
    const context = { executionId, toolUseId, signal: host.signal }
    call.prepared = await untilAborted(freezeCall(call.tool, context, call.argsJson), host.signal)
    return undefined
  } catch (error) {
    const malformed = error instanceof ToolError && error.code === 'invalid_arguments'
    return malformed && finishReason === 'length' ? cutOff() : thrownResult(error)
  }
}

function cutOff(): ToolResult {
  return errorResult(
    'invalid_arguments',
    'the call was cut off by the output limit and did not run; send it again, shorter',
  )
}

type Decision =
  | Evaluation
  | { readonly decision: 'deny'; readonly reason: 'access_gate_missing'; readonly requirement: Requirement }

async function evaluate(host: TurnHost, call: RunnableCall): Promise<Decision> {
  const { request } = call.prepared
  const [requirement] = request.requirements
  if (requirement === undefined) return { decision: 'allow' }
  const { gate } = host.loop
  if (gate === undefined) return { decision: 'deny', reason: 'access_gate_missing', requirement }
  const broken = { decision: 'deny', reason: 'access_error', requirement } as const
  try {
    const said = await untilAborted(gate.evaluate(request), host.signal)
    return (said && checkEvaluation(request, said)) ?? broken
  } catch {
    return broken
  }
}

function decided(
  scope: StepScope,
  call: StepCall,
  decision: Exclude<Decision, { decision: 'ask' }>,
): PermissionDecided {
  return {
    type: 'PermissionDecided',
    ...scope,
    toolExecutionId: call.executionId,
    effect: decision.decision === 'allow' ? 'approve' : 'deny',
    reason: decision.decision === 'allow' ? 'access_evaluated' : decision.reason,
    subject: call.name,
  }
}

function deniedResult({ reason, requirement }: Extract<Decision, { decision: 'deny' }>): ToolResult {
  return errorResult('permission_denied', `permission denied [${denialWord(reason)}]: ${requirement.description}`)
}

function denialWord(reason: Extract<Decision, { decision: 'deny' }>['reason']): string {
  switch (reason) {
    case 'access_denied':
      return 'out of scope'
    case 'approval_required':
      return 'not authorized'
    case 'access_error':
    case 'access_gate_missing':
      return 'unavailable'
    default:
      return assertNever(reason, 'denial reason')
  }
}
