import type { InferenceResponse } from '@looprig/inference'
import type { ToolResult } from '@looprig/tools'
import type { ErrorInfo } from '../error/errors.ts'
import type { StepScope } from '../event/step-event.ts'
import { endCallHooks } from '../hook/call-hooks.ts'
import type { HookOutcome } from '../hook/hooks.ts'
import { budgetFault } from '../loop/budget.ts'
import { announceUnfinished, unfinishedCalls } from './announce-call.ts'
import { askPerson } from './ask-person.ts'
import { askThroughPauses } from './ask-through-pauses.ts'
import { decideCalls, openStep, resultCap } from './decide-calls.ts'
import { closeStep, type OpenStep, stepDone } from './open-step.ts'
import { notedResult, shapeResult } from './result-message.ts'
import { recordEnds, runCalls } from './run-calls.ts'
import type { Streamed } from './stream-step.ts'
import { answeredEnd, failedEnd, type TurnEnd } from './turn-end.ts'
import type { StopReason, TurnHost } from './turn-host.ts'
import { addResponse, type TurnProgress } from './turn-progress.ts'
import type { TurnRequests } from './turn-requests.ts'
import type { TurnResume } from './turn-resume.ts'

/** What a step came to: what its turn has used so far, and its end if this was the last step. */
export interface StepTaken {
  readonly progress: TurnProgress
  readonly end: TurnEnd | undefined
}

/** Takes one step: asks the model, runs the calls that it wants, commits. */
export function takeStep(host: TurnHost, requests: TurnRequests, progress: TurnProgress): Promise<StepTaken> {
  const scope = host.newStep()
  return observed(host, scope, () => askAndRun(host, scope, requests, progress))
}

async function askAndRun(
  host: TurnHost,
  scope: StepScope,
  requests: TurnRequests,
  progress: TurnProgress,
): Promise<StepTaken> {
  const streamed = await askThroughPauses(host, scope, requests, progress)
  if (streamed.outcome !== 'response') return { progress, end: brokenEnd(host, scope, streamed) }
  const { message, toolCalls } = streamed.response
  const used = addResponse(progress, message, toolCalls.length)
  const verdict = requests.judge && (await requests.judge(streamed.response))
  if (verdict?.kind === 'invalid') return { progress: used, end: failedEnd(verdict.error) }
  if (verdict?.kind === 'final') {
    const step = () => [stepDone(scope, verdict.message, [])]
    return { progress: used, end: { outcome: 'done', step, usage: used.usage, isStructured: true } }
  }
  if (toolCalls.length === 0) return { progress: used, end: answeredEnd(scope, message, used.usage) }
  return { progress: used, end: await takeCalls(host, scope, streamed.response, used, verdict?.refused) }
}

/** Goes on with a step that a restore found open: has people decide what is left, runs its calls, then commits. */
export async function finishStep(host: TurnHost, resume: TurnResume): Promise<StepTaken> {
  const { step } = resume
  const used = addResponse(resume.progress, step.message, step.calls.length)
  return observed(host, step.scope, async () => {
    try {
      await resume.ask(host)
      return { progress: used, end: await runStep(host, step, used) }
    } finally {
      endCallHooks(step)
    }
  })
}

/** Tells hooks of a step, from here to its end. */
function observed(host: TurnHost, scope: StepScope, work: () => Promise<StepTaken>): Promise<StepTaken> {
  return host.hooks.isObserved('step') ? observe(host, scope, work) : work()
}

async function observe(host: TurnHost, scope: StepScope, work: () => Promise<StepTaken>): Promise<StepTaken> {
  const endHooks = host.hooks.begin('step', () => ({ ...host.hooks.scope, ...scope }))
  try {
    const taken = await work()
    endHooks(outcomeOf(taken.end))
    return taken
  } finally {
    endHooks('interrupted')
  }
}

function outcomeOf(end: TurnEnd | undefined): HookOutcome {
  if (end === undefined || end.outcome === 'done') return 'completed'
  return end.outcome === 'failed' ? 'failed' : 'interrupted'
}

/** Decides all calls of a response, then runs them, then commits the step. */
async function takeCalls(
  host: TurnHost,
  scope: StepScope,
  { message, toolCalls, finishReason }: InferenceResponse,
  progress: TurnProgress,
  refused: ReadonlyMap<string, ToolResult> | undefined,
): Promise<TurnEnd | undefined> {
  const step = openStep(host, scope, message, toolCalls)
  const over = overLimit(host, progress)
  if (over !== undefined) return refuseStep(step, over)
  for (const call of step.calls) {
    const result = refused?.get(call.toolUseId)
    if (result !== undefined) call.result = shapeResult(call.toolUseId, result, resultCap(host, step.calls.length))
  }
  try {
    await decideCalls(host, step, finishReason)
    const asks = step.calls.some(({ gate }) => gate !== undefined)
    if (asks && !host.signal.aborted) await askPerson(host, step)
    return await runStep(host, step, progress)
  } finally {
    endCallHooks(step)
  }
}

/** Runs the decided calls of a step, then commits it. Returns an end when the turn was stopped or used up its budget. */
async function runStep(host: TurnHost, step: OpenStep, progress: TurnProgress): Promise<TurnEnd | undefined> {
  if (isParked(host)) return { outcome: 'parked' }
  if (!host.signal.aborted) await runCalls(host, step)
  if (isParked(host)) {
    // what still ran are agents that wait for people: they, and this turn, are left to a restore
    await recordEnds(host, step)
    return { outcome: 'parked' }
  }
  // a call has its agent's outcome as its result, but nobody was told yet
  const unfinished = unfinishedCalls(step)
  if (host.signal.aborted) await host.agents?.finish(step)
  step.closed = true
  if (host.signal.aborted) {
    announceUnfinished(host, step, unfinished)
    return { outcome: 'interrupted', step: () => closeStep(step, host.gates.ofStep(step.scope.stepId)) }
  }
  const spent = budgetFault(host.loop, progress.usage)
  if (spent !== undefined) return failedEnd(spent, () => closeStep(step))
  await host.commitStep(closeStep(step))
  return undefined
}

function isParked({ signal }: TurnHost): boolean {
  return signal.reason === ('park' satisfies StopReason)
}

/** The end of a turn whose response broke off. Half of an output is none, so nothing of it is kept. */
function brokenEnd(host: TurnHost, scope: StepScope, streamed: Exclude<Streamed, { outcome: 'response' }>): TurnEnd {
  const kept = host.loop.output === undefined ? streamed.kept : undefined
  const step = () => (kept === undefined ? [] : [stepDone(scope, kept, [])])
  return streamed.outcome === 'interrupted' ? { outcome: 'interrupted', step } : failedEnd(streamed.error, step)
}

function overLimit(host: TurnHost, { iterations, calls }: TurnProgress): ErrorInfo | undefined {
  const { limits } = host.loop
  const what =
    iterations > limits.iterations
      ? `more than ${limits.iterations} rounds of tool calls`
      : calls > limits.calls
        ? `more than ${limits.calls} tool calls`
        : undefined
  return what === undefined ? undefined : { code: 'tool_limit', message: `${what} in one turn` }
}

/** Closes a step that passed a limit: no call of it runs, and each says so. */
function refuseStep(step: OpenStep, error: ErrorInfo): TurnEnd {
  for (const call of step.calls) call.result = notedResult(call.toolUseId, error.code, `${error.message}; not executed`)
  step.closed = true
  return failedEnd(error, () => closeStep(step))
}
