import { seal, type ToolResult, thrownResult } from '@looprig/tools'
import { eventDraft, type RecordDraft, runDraft, runEndDraft, stepDraft } from '../journal/record-draft.ts'
import { resultCap } from './decide-calls.ts'
import { closedCall, type OpenStep, openStepBody } from './open-step.ts'
import { previewResult, type ShapedResult, shapeResult } from './result-message.ts'
import { isRunnable, needsRunRecord, type RunnableCall, type StepCall } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'
import { untilAborted } from './until-aborted.ts'

/** How long after its end a call's result is written behind, if others of its step still run. */
const writeBehindMs = 50

/**
 * Runs the decided calls of a step: sequential ones first and alone, then the others up to the parallel limit, calls
 * that write the same target one after another. The start of every call that could matter is durable before it starts.
 * When the turn is stopped the running ones are aborted and given the loop's drain time.
 */
export async function runCalls(host: TurnHost, step: OpenStep): Promise<void> {
  for (const call of step.calls) if (call.result !== undefined) announceRefused(host, step, call)
  const waiting = step.calls.filter(isRunnable)
  const running = new Map<RunnableCall, Promise<void>>()
  try {
    while (!host.signal.aborted && waiting.length + running.size > 0) {
      const wave = takeWave(waiting, [...running.keys()], host.loop.limits.parallel)
      if (wave.length === 0) {
        await untilAborted(Promise.race(running.values()), host.signal)
        continue
      }
      await recordStart(host, step, wave)
      // this process knows that it did not start what it only recorded
      if (host.signal.aborted) break
      for (const call of wave) {
        const ended = run(host, step, call).then(() => {
          running.delete(call)
          if (waiting.length + running.size > 0) writeBehind(host, step, call)
        })
        running.set(call, ended)
      }
    }
  } finally {
    // after a fault too: nobody may take the session over while its tools run
    await drain(host, running)
  }
}

/** Takes from `waiting`, in call order, what may start beside `running`. */
function takeWave(waiting: RunnableCall[], running: readonly RunnableCall[], parallel: number): RunnableCall[] {
  const sequential = waiting.findIndex((call) => call.tool.sequential)
  if (sequential >= 0) return running.length > 0 ? [] : waiting.splice(sequential, 1)
  if (running.some((call) => call.tool.sequential)) return []
  const busyTargets = new Set(running.map((call) => call.prepared.writeTarget))
  const wave: RunnableCall[] = []
  for (const call of [...waiting]) {
    if (running.length + wave.length >= parallel) break
    const { writeTarget } = call.prepared
    if (writeTarget !== undefined && busyTargets.has(writeTarget)) continue
    busyTargets.add(writeTarget)
    wave.push(call)
    waiting.splice(waiting.indexOf(call), 1)
  }
  return wave
}

/** Makes the start of a wave durable: the step's record first, then one `run` for each call that needs it. */
async function recordStart(host: TurnHost, step: OpenStep, wave: readonly RunnableCall[]): Promise<void> {
  const effectful = wave.filter(needsRunRecord)
  if (effectful.length === 0) return
  await host.commit(() => {
    const records: RecordDraft[] = step.recorded ? [] : [stepDraft(openStepBody(step))]
    for (const { executionId } of effectful) records.push(runDraft({ ...step.scope, executionId }))
    records.push(...step.decisions.map((decision) => eventDraft(decision, host.ids)))
    return {
      records,
      apply: () => {
        step.recorded = true
        step.decisions = []
        for (const call of effectful) call.recorded = true
      },
    }
  })
}

async function run(host: TurnHost, step: OpenStep, call: RunnableCall): Promise<void> {
  const startedAt = host.clock.now()
  call.spawned = true
  announceStart(host, step, call, call.prepared.summary)
  const result = shapeResult(call.toolUseId, await invoke(host, call), resultCap(host, step.calls.length))
  // a result that comes after the close is ignored: the step has been told otherwise
  if (step.closed) return
  call.result = result
  announceEnd(host, step, call, host.clock.now() - startedAt)
}

async function invoke(host: TurnHost, call: RunnableCall): Promise<ToolResult> {
  const { executionId, toolUseId, argsJson, tool, prepared } = call
  try {
    const sealed = seal({ executionId, request: prepared.request, artifact: prepared.artifact })
    return await tool.invoke({ executionId, toolUseId, signal: host.signal, prepared: sealed }, argsJson)
  } catch (error) {
    return thrownResult(error)
  }
}

/** Keeps a finished result from being lost while a slow sibling runs. Nobody waits for it; `StepDone` overtakes it. */
function writeBehind(host: TurnHost, step: OpenStep, call: RunnableCall): void {
  if (!call.recorded) return
  host.clock.setTimer(writeBehindMs, () => {
    if (step.closed || host.signal.aborted) return
    const written = host.commit(() => {
      if (step.closed || call.result === undefined) return undefined
      const { executionId, result } = call
      return { records: [runEndDraft({ ...step.scope, executionId, result: result.message })] }
    })
    // a failed append has faulted the session already
    written.catch(() => undefined)
  })
}

async function drain(host: TurnHost, running: ReadonlyMap<RunnableCall, Promise<void>>): Promise<void> {
  if (running.size === 0) return
  const cancel = new AbortController()
  const timeout = new Promise<void>((resolve) => {
    const stop = host.clock.setTimer(host.loop.drainTimeoutMs, resolve)
    cancel.signal.addEventListener('abort', stop, { once: true })
  })
  await Promise.race([Promise.allSettled(running.values()), timeout])
  cancel.abort()
}

/** Ends, for whoever watches, the calls that were started and have no result when their step is closed. */
export function announceUnfinished(host: TurnHost, step: OpenStep): void {
  for (const call of step.calls) {
    if (call.spawned && call.result === undefined) announceResult(host, step, call, closedCall(call), 0)
  }
}

function announceRefused(host: TurnHost, step: OpenStep, call: StepCall): void {
  announceStart(host, step, call, call.prepared?.summary ?? call.name)
  announceEnd(host, step, call, 0)
}

function announceStart(host: TurnHost, step: OpenStep, call: StepCall, summary: string): void {
  const { executionId: toolExecutionId, toolUseId, name: toolName } = call
  host.emit({ type: 'ToolCallStarted', ...step.scope, toolExecutionId, toolUseId, toolName, summary })
}

function announceEnd(host: TurnHost, step: OpenStep, call: StepCall, durationMs: number): void {
  if (call.result !== undefined) announceResult(host, step, call, call.result, durationMs)
}

function announceResult(
  host: TurnHost,
  step: OpenStep,
  call: StepCall,
  { message, code }: ShapedResult,
  durationMs: number,
): void {
  host.emit({
    type: 'ToolCallCompleted',
    ...step.scope,
    toolExecutionId: call.executionId,
    toolUseId: call.toolUseId,
    toolName: call.name,
    isError: message.isError,
    ...(code === undefined ? {} : { code }),
    resultPreview: previewResult(message),
    durationMs,
  })
}
