import type { AIMessage, FinishReason, RawToolCall } from '@looprig/core'
import { errorResult, ToolError, type ToolResult, thrownResult } from '@looprig/tools'
import { newId } from '../clock/id-source.ts'
import { isA } from '../error/is-a.ts'
import type { StepScope } from '../event/step-event.ts'
import type { PermissionDecided } from '../event/tool-event.ts'
import { admitCall } from '../hook/call-hooks.ts'
import { deniedResult, unavailableResult } from './denial.ts'
import { permissionGate, questionGate } from './due-gate.ts'
import { freezeCall } from './freeze-call.ts'
import { type Decision, judgeCall } from './judge-call.ts'
import type { OpenStep } from './open-step.ts'
import { shapeResult, stepShare } from './result-message.ts'
import { isRunnable, newStepCall, type RunnableCall, type StepCall, unknownTool } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'
import { untilAborted } from './until-aborted.ts'

/** The cap of one result in a step of `calls` calls. */
export function resultCap(host: Pick<TurnHost, 'loop'>, calls: number): number {
  return Math.max(256, Math.min(host.loop.limits.resultBytes, stepShare(calls)))
}

/** Makes the open step of a response: every call with an id of its own. */
export function openStep(host: TurnHost, scope: StepScope, message: AIMessage, raw: readonly RawToolCall[]): OpenStep {
  const calls = raw.map(
    ({ toolUseId, name, argsJson }): StepCall =>
      newStepCall({
        executionId: newId(host.ids, 'ToolExecutionId'),
        toolUseId,
        name,
        argsJson,
        tool: host.tools.get(name),
      }),
  )
  return { scope, message, calls, decisions: [], recorded: false, closed: false }
}

/**
 * Prepares every call once and has the gate judge it, in call order, before any of them runs. Refused calls get their
 * result here; what is left is allowed, or has a gate that is to be opened.
 */
export async function decideCalls(host: TurnHost, step: OpenStep, finishReason: FinishReason): Promise<void> {
  const refuse = (call: StepCall, result: ToolResult) => {
    call.result = shapeResult(call.toolUseId, result, resultCap(host, step.calls.length))
  }
  for (const call of step.calls) {
    if (host.signal.aborted) return
    if (call.result !== undefined) continue
    const isHooked = host.hooks.isHooked('tool_call')
    const refused = (await prepare(host, call, finishReason)) ?? (isHooked ? await guard(host, step, call) : undefined)
    if (refused !== undefined) refuse(call, refused)
  }
  for (const call of step.calls) {
    if (!isRunnable(call)) continue
    const { request, question } = call.prepared
    if (request.requirements.length > 0) {
      const { decision, fingerprint } = await judgeCall(host.loop.gate, request, host.signal, host.clock)
      if (host.signal.aborted) return
      call.fingerprint = fingerprint
      admit(host, step, call, decision, refuse)
    }
    if (question !== undefined && call.gate === undefined && isRunnable(call)) {
      if (host.loop.gate?.headless === true) refuse(call, unavailableResult())
      else call.gate = questionGate(host.ids, step.scope, call, question, host.loop.gate)
    }
  }
}

/** Takes the word of a gate: a refusal is a result, and a question opens a gate. */
function admit(
  host: TurnHost,
  step: OpenStep,
  call: RunnableCall,
  decision: Decision,
  refuse: (call: StepCall, result: ToolResult) => void,
): void {
  if (decision.decision !== 'deny') call.grants = decision.grants ?? []
  if (decision.decision === 'ask') {
    call.gate = permissionGate(host.ids, step.scope, call, decision, host.loop.gate)
    return
  }
  step.decisions.push(decided(step.scope, call, decision))
  if (decision.decision === 'deny') refuse(call, deniedResult(decision.reason, decision.requirement.description))
}

/** Freezes what a call will do; returns the result of a call that cannot be prepared. */
async function prepare(host: TurnHost, call: StepCall, finishReason: FinishReason): Promise<ToolResult | undefined> {
  if (call.tool === undefined) return unknownTool(call.name)
  if (isCut(finishReason) && call.argsJson.trim() === '') return cutOff(finishReason)
  try {
    const { executionId, toolUseId } = call
    const context = { executionId, toolUseId, signal: host.signal }
    const prepared = await untilAborted(call.tool.prepareCall(context, call.argsJson), host.signal)
    // nobody waits for it any more
    if (host.signal.aborted) return undefined
    call.prepared = freezeCall(call.tool, prepared)
    return undefined
  } catch (error) {
    const malformed = isA(error, ToolError) && error.code === 'invalid_arguments'
    return malformed && isCut(finishReason) ? cutOff(finishReason) : thrownResult(error)
  }
}

/** Asks the guards of a prepared call; returns the result of one that they deny. */
async function guard(host: TurnHost, step: OpenStep, call: StepCall): Promise<ToolResult | undefined> {
  const denied = isRunnable(call) ? await admitCall(host, step, call) : undefined
  // a turn that was stopped meanwhile is no denial
  return denied === undefined || host.signal.aborted ? undefined : errorResult(denied.code, denied.message)
}

/** A response that broke off: the arguments of its last call may be a part of what was meant, or nothing of it. */
function isCut(finishReason: FinishReason): boolean {
  return finishReason === 'length' || finishReason === 'content_filter'
}

function cutOff(finishReason: FinishReason): ToolResult {
  const by = finishReason === 'length' ? 'the output limit' : 'the content filter'
  const again = finishReason === 'length' ? '; send it again, shorter' : ''
  return errorResult('invalid_arguments', `the call was cut off by ${by} and did not run${again}`)
}

/** The audit of a call that was decided without a person. */
export function decided(
  scope: StepScope,
  call: StepCall,
  decision: Exclude<Decision, { decision: 'ask' }>,
): PermissionDecided {
  const isAllowed = decision.decision === 'allow'
  const rule = 'rule' in decision ? decision.rule : undefined
  const allowed = rule === undefined ? 'access_evaluated' : 'rule_allowed'
  return {
    type: 'PermissionDecided',
    ...scope,
    toolExecutionId: call.executionId,
    effect: isAllowed ? 'approve' : 'deny',
    reason: isAllowed ? allowed : decision.reason,
    subject: call.name,
    ...(rule === undefined ? {} : { rule }),
  }
}
