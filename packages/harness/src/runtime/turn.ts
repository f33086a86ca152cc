import { type AIMessage, addUsage, type Usage } from '@looprig/core'
import type { InferenceResponse } from '@looprig/inference'
import type { ErrorInfo } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import type { StepScope } from '../event/step-event.ts'
import { askPerson } from './ask-person.ts'
import { decideCalls, openStep } from './decide-calls.ts'
import { closeStep, type OpenStep, stepDone } from './open-step.ts'
import { notedResult } from './result-message.ts'
import { announceUnfinished, runCalls } from './run-calls.ts'
import type { StepCall } from './step-call.ts'
import { streamStep } from './stream-step.ts'
import type { TurnHost } from './turn-host.ts'

/**
 * How a turn ends. `step` makes the events of a last step that joins the terminal in one append; call it when that
 * append is decided, since a gate of the step may be answered until then.
 */
export type TurnEnd =
  | { readonly outcome: 'done'; readonly step: LastStep; readonly usage: Usage }
  | { readonly outcome: 'failed'; readonly step: LastStep; readonly error: ErrorInfo }
  | { readonly outcome: 'interrupted'; readonly step: LastStep }
  /** The session is parked while the turn waits for people: nothing is written. */
  | { readonly outcome: 'parked' }

type LastStep = () => readonly EnduringBody[]

/** Runs one turn: ask the model, run the calls it wants, commit the step, until it answers without a call. */
export async function runTurn(host: TurnHost): Promise<TurnEnd> {
  let usage: Usage = {}
  let iterations = 0
  let calls = 0
  for (;;) {
    const scope = host.newStep()
    const streamed = await streamStep(host, scope)
    if (streamed.outcome !== 'response') return broken(scope, streamed)
    const { response } = streamed
    usage = addUsage(usage, response.message.usage ?? {})
    if (response.toolCalls.length === 0) return answered(scope, response.message, usage)
    iterations += 1
    calls += response.toolCalls.length
    const step = openStep(host, scope, response.message, response.toolCalls)
    const over = overLimit(host, iterations, calls)
    if (over !== undefined) return refuseStep(step, over)
    const end = await runStep(host, step, response)
    if (end !== undefined) return end
  }
}

/** Decides all calls of a step, then runs them, then commits. Returns an end when the turn was stopped meanwhile. */
async function runStep(host: TurnHost, step: OpenStep, response: InferenceResponse): Promise<TurnEnd | undefined> {
  const asked = await decideCalls(host, step, response.finishReason)
  if (asked.length > 0 && !host.signal.aborted) {
    await askPerson(host, step, asked)
    if (host.signal.reason === 'park') return { outcome: 'parked' }
  }
  if (!host.signal.aborted) await runCalls(host, step)
  step.closed = true
  if (host.signal.aborted) {
    announceUnfinished(host, step)
    const isOpen = ({ gateId }: StepCall) => gateId !== undefined && host.gates.find(gateId) !== undefined
    return { outcome: 'interrupted', step: () => closeStep(step, step.calls.filter(isOpen)) }
  }
  await host.commitStep(closeStep(step))
  return undefined
}

function answered(scope: StepScope, message: AIMessage, usage: Usage): TurnEnd {
  if (message.blocks.length === 0) {
    const error = { code: 'empty_response', message: 'the model answered with nothing' }
    return { outcome: 'failed', step: () => [], error }
  }
  return { outcome: 'done', step: () => [stepDone(scope, message, [])], usage }
}

function broken(
  scope: StepScope,
  streamed: Exclude<Awaited<ReturnType<typeof streamStep>>, { outcome: 'response' }>,
): TurnEnd {
  const { kept } = streamed
  const step = () => (kept === undefined ? [] : [stepDone(scope, kept, [])])
  if (streamed.outcome === 'interrupted') return { outcome: 'interrupted', step }
  return { outcome: 'failed', step, error: streamed.error }
}

function overLimit(host: TurnHost, iterations: number, calls: number): ErrorInfo | undefined {
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
  return { outcome: 'failed', step: () => closeStep(step), error }
}
