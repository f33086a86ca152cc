import { errorResult, seal, type ToolResult, thrownResult, type UserQuestion } from '@looprig/tools'
import type { EndOperation } from '../hook/hook-runner.ts'
import type { HookOutcome } from '../hook/hooks.ts'
import { toolCallSubject } from '../hook/tool-call-subject.ts'
import { runMiddlewares } from '../middleware/run-middlewares.ts'
import { announceEnd, announceStart } from './announce-call.ts'
import { CallProgress } from './call-progress.ts'
import { resultCap } from './decide-calls.ts'
import { LiveQuestions } from './live-questions.ts'
import { mintGrants } from './mint-grants.ts'
import type { OpenStep } from './open-step.ts'
import { shapeResult } from './result-message.ts'
import type { RunnableCall } from './step-call.ts'
import { timedOut, timeLimitOf, withinTime } from './time-limit.ts'
import type { StopReason, TurnHost } from './turn-host.ts'

/** A call that runs. */
export interface StartedCall {
  /** Resolves when it has its result, or has come to nothing that counts. Never rejects. */
  readonly ended: Promise<void>
  /** Nobody waits for it any more: nothing of it starts or is told from here on. */
  abandon(): void
}

/** What the parts of one run share. */
interface CallRun {
  readonly host: TurnHost
  readonly step: OpenStep
  readonly call: RunnableCall
  readonly progress: CallProgress
  readonly questions: LiveQuestions
  /** It has its result, or was abandoned: nothing of it may start any more. */
  isOver: boolean
}

/** Starts a decided call whose start is durable where it has to be, and keeps its result while the step is open. */
export function startCall(host: TurnHost, step: OpenStep, call: RunnableCall): StartedCall {
  const { executionId: toolExecutionId, toolUseId } = call
  const finish = host.hooks.begin('tool_execution', () => toolCallSubject(host.hooks.scope, step.scope, call))
  if (host.signal.aborted) return notStarted(finish)
  call.spawned = true
  announceStart(host, step, call, call.prepared.summary)
  const progress = new CallProgress(host.clock, (text) => {
    host.emit({ type: 'ToolProgress', ...step.scope, toolExecutionId, toolUseId, text })
  })
  const questions = new LiveQuestions(host, step, call)
  const run: CallRun = { host, step, call, progress, questions, isOver: false }
  const end = (outcome: HookOutcome) => {
    run.isOver = true
    progress.end()
    questions.end()
    finish(outcome)
  }
  return { ended: keepResult(run, end), abandon: () => end('interrupted') }
}

/** The turn was stopped by an observer, or by a call that started just before: nothing of this one begins. */
function notStarted(finish: EndOperation): StartedCall {
  finish('interrupted')
  return { ended: Promise.resolve(), abandon: () => undefined }
}

async function keepResult(run: CallRun, end: (outcome: HookOutcome) => void): Promise<void> {
  const { host, step, call } = run
  const startedAt = host.clock.now()
  const result = shapeResult(call.toolUseId, await execute(run), resultCap(host, step.calls.length))
  await run.questions.close()
  // the step was closed without it, and has been told otherwise
  if (run.isOver) return
  // an agent that waits for people: its step is left to a restore as it stands
  if (host.signal.reason === ('park' satisfies StopReason)) return end('interrupted')
  call.result = result
  announceEnd(host, step, call, host.clock.now() - startedAt)
  end(result.message.isError ? 'failed' : 'completed')
}

/** Runs a call within its tool's time, if that has a limit. Never throws. */
function execute(run: CallRun): Promise<ToolResult> {
  try {
    // a tool of a third party may fail at being looked at
    const limitMs = timeLimitOf(run.call.tool)
    return limitMs === undefined ? pass(run, run.host.signal) : executeWithin(run, limitMs).catch(thrownResult)
  } catch (error) {
    return Promise.resolve(thrownResult(error))
  }
}

async function executeWithin(run: CallRun, limitMs: number): Promise<ToolResult> {
  const { host, call } = run
  const limit = { clock: host.clock, signal: host.signal, limitMs, graceMs: host.loop.drainTimeoutMs }
  const came = await withinTime(limit, (signal) => pass(run, signal))
  if (!came.isTimedOut) return came.value
  return timedOut(limitMs, { replaySafe: call.tool.replaySafe, hasEnded: came.hasEnded })
}

/** Passes a call through the loop's middlewares to its tool. Never throws. */
function pass(run: CallRun, signal: AbortSignal): Promise<ToolResult> {
  const { call, host } = run
  const { middlewares } = host.loop
  if (middlewares.length === 0) return invoke(run, signal)
  const { executionId, toolUseId, name: toolName, tool, prepared } = call
  const { summary, artifact } = prepared
  return runMiddlewares(middlewares, {
    call: Object.freeze({
      executionId,
      toolUseId,
      toolName,
      summary,
      artifact,
      replaySafe: tool.replaySafe,
      signal,
    }),
    mayRepeat: !call.recorded,
    // between its record and its start the turn may have been stopped, or the lease lost
    hasEnded: () => run.isOver || signal.aborted,
    invoke: () => invoke(run, signal),
  })
}

/** Runs the tool on a seal of its own. Never throws. */
async function invoke({ host, call, progress, questions }: CallRun, signal: AbortSignal): Promise<ToolResult> {
  const { executionId, toolUseId, argsJson, tool, prepared } = call
  const requestUserInput = (question: UserQuestion) => questions.ask(question, signal)
  try {
    const grants = call.grants.length === 0 ? undefined : await mintGrants(host, call, signal)
    // the last look, since what comes next may be the effect
    if (signal.aborted) return errorResult('not_executed', stoppedBefore)
    const sealed = seal({ executionId, request: prepared.request, artifact: prepared.artifact, grants })
    const context = { executionId, toolUseId, signal, requestUserInput, progress: progress.report, prepared: sealed }
    return await tool.invoke(context, argsJson)
  } catch (error) {
    return thrownResult(error)
  }
}

const stoppedBefore = 'not_executed: the call was stopped before it ran; it changed nothing.'
