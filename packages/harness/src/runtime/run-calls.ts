import { eventDraft, type RecordDraft, runDraft, runEndDraft, stepDraft } from '../journal/record-draft.ts'
import type { Draft } from '../session/session-log.ts'
import { announceRefused } from './announce-call.ts'
import { type OpenStep, openStepBody } from './open-step.ts'
import { type StartedCall, startCall } from './start-call.ts'
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
  host.agents?.enter(step)
  for (const call of step.calls) if (call.result !== undefined) announceRefused(host, step, call)
  const waiting = step.calls.filter(isRunnable)
  const running = new Map<RunnableCall, StartedCall>()
  let callEnded = () => {}
  try {
    while (!host.signal.aborted && waiting.length + running.size > 0) {
      const wave = takeWave(waiting, [...running.keys()], host.loop.limits.parallel)
      if (wave.length === 0) {
        await untilAborted(new Promise<void>((resolve) => (callEnded = resolve)), host.signal)
        continue
      }
      if (wave.some(needsRunRecord)) await recordStart(host, step, wave)
      // this process knows that it did not start what it only recorded
      if (host.signal.aborted) break
      for (const call of wave) {
        const started = startCall(host, step, call)
        const ended = started.ended.then(() => {
          running.delete(call)
          callEnded()
          host.agents?.changed()
          if (waiting.length + running.size > 0) writeBehind(host, step, call)
        })
        running.set(call, { ...started, ended })
      }
    }
  } finally {
    // after a fault too: nobody may take the session over while its tools run
    if (running.size > 0) await drain(host, running)
    for (const started of running.values()) started.abandon()
  }
}

/** Takes from `waiting`, in call order, what may start beside `running`. */
export function takeWave(waiting: RunnableCall[], running: readonly RunnableCall[], parallel: number): RunnableCall[] {
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
  // the start of a step's first calls is durable already when it joined the last answer of a person
  const effectful = wave.filter((call) => needsRunRecord(call) && !call.recorded)
  if (effectful.length === 0) return
  await host.commit(() => {
    const records: RecordDraft[] = step.recorded ? [] : [stepDraft(openStepBody(step))]
    for (const { executionId } of effectful) records.push(runDraft({ executionId, ...step.scope }))
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

/** Keeps a finished result from being lost while a slow sibling runs. Nobody waits for it; `StepDone` overtakes it. */
function writeBehind(host: TurnHost, step: OpenStep, call: RunnableCall): void {
  if (!call.recorded) return
  host.clock.setTimer(writeBehindMs, () => {
    if (step.closed || host.signal.aborted) return
    const written = host.commit(() => (step.closed ? undefined : endsDraft(step, [call])))
    // a failed append has faulted the session already
    written.catch(() => undefined)
  })
}

/** Makes the results durable that no record holds yet, of a step that is left to a restore as it stands. */
export async function recordEnds(host: TurnHost, step: OpenStep): Promise<void> {
  await host.commit(() => endsDraft(step, step.calls))
}

/** Only a call with a `run` record has a record of its end. */
function endsDraft({ scope }: OpenStep, calls: readonly StepCall[]): Draft | undefined {
  const ended = calls.filter((call) => call.recorded && call.hasEndRecord !== true && call.result !== undefined)
  if (ended.length === 0) return undefined
  return {
    records: ended.flatMap(({ executionId, result }) =>
      result === undefined ? [] : [runEndDraft({ ...scope, executionId, result: result.message })],
    ),
    apply: () => {
      for (const call of ended) call.hasEndRecord = true
    },
  }
}

async function drain(host: TurnHost, running: ReadonlyMap<RunnableCall, StartedCall>): Promise<void> {
  const cancel = new AbortController()
  const timeout = new Promise<void>((resolve) => {
    const stop = host.clock.setTimer(host.loop.drainTimeoutMs, resolve)
    cancel.signal.addEventListener('abort', stop, { once: true })
  })
  await Promise.race([Promise.allSettled([...running.values()].map(({ ended }) => ended)), timeout])
  cancel.abort()
}
