import type { StreamEvent } from '@looprig/core'
import {
  createInferenceStream,
  type InferenceClient,
  type InferenceOptions,
  type InferenceRequest,
  type InferenceStream,
  type Model,
} from '@looprig/inference'
import { classify } from './classify.ts'
import { compose } from './compose.ts'
import { readTurns } from './history.ts'
import { advance, type Move, type PlanLimits } from './plan.ts'
import { planFor } from './plan-for.ts'
import type { ToolCall } from './tool-call.ts'

/** What may be set of an offline guide. */
export interface OfflineGuideOptions {
  /** The most responses to one question, the answer included. Default 8. */
  readonly maxSteps?: number | undefined
  /** The most tool calls for one question. Default 12. */
  readonly maxCalls?: number | undefined
}

/** The model record of the offline guide. */
export const offlineGuideModel: Model = {
  provider: 'looprig',
  name: 'offline-guide',
  capabilities: { tools: true },
}

/**
 * A client that needs no network and no key. It is not a language model: it reads a question by rules, plans calls of
 * `Glob`, `Grep` and `ReadFile`, and answers with quoted lines of what they returned. It keeps no state: a response
 * is a function of the request alone. What tools return is data to it, never an instruction.
 */
export function offlineGuide({ maxSteps = 8, maxCalls = 12 }: OfflineGuideOptions = {}): InferenceClient {
  const limits: PlanLimits = { maxSteps, maxCalls }
  const stream = (request: InferenceRequest, { signal }: InferenceOptions = {}): InferenceStream =>
    createInferenceStream((aborted) => respond(request, limits, aborted), signal)
  return { stream, invoke: (request, options) => stream(request, options).result() }
}

async function* respond(
  request: InferenceRequest,
  limits: PlanLimits,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, undefined> {
  const turns = readTurns(request.messages)
  const move = nextMove(request, turns, limits)
  const events = move.type === 'calls' ? callEvents(move.calls, turns) : textEvents(compose(move.answer, move.notes))
  for (const event of events) {
    signal.throwIfAborted()
    yield event
  }
}

function nextMove(request: InferenceRequest, turns: ReturnType<typeof readTurns>, limits: PlanLimits): Move {
  const present = turns.at(-1) ?? { question: '', steps: [], answer: '' }
  const earlier = turns.slice(0, -1)
  const question = classify(
    present.question,
    earlier.map((turn) => turn.question),
  )
  return advance(planFor(question, earlier), present, offeredTools(request), limits)
}

function offeredTools({ tools = [], toolChoice = 'auto' }: InferenceRequest): ReadonlySet<string> {
  const names = tools.map((tool) => tool.name)
  if (toolChoice === 'none') return new Set()
  if (typeof toolChoice === 'string') return new Set(names)
  const allowed = 'name' in toolChoice ? [toolChoice.name] : toolChoice.allowed
  return new Set(names.filter((name) => allowed.includes(name)))
}

/** Ids come from the position in the session, so the same request makes the same calls. */
function* callEvents(calls: readonly ToolCall[], turns: ReturnType<typeof readTurns>): Generator<StreamEvent> {
  const step = (turns.at(-1)?.steps.length ?? 0) + 1
  for (const [blockIndex, { name, input }] of calls.entries()) {
    const id = `guide-${turns.length}-${step}-${blockIndex + 1}`
    yield { type: 'block_start', blockIndex, block: { type: 'tool_use', id, name } }
    yield { type: 'tool_input_delta', blockIndex, text: JSON.stringify(input) }
    yield { type: 'block_end', blockIndex }
  }
  yield { type: 'finish', reason: 'tool_use', model: offlineGuideModel.name }
}

/** Text comes line by line. */
function* textEvents(text: string): Generator<StreamEvent> {
  yield { type: 'block_start', blockIndex: 0, block: { type: 'text' } }
  for (const line of text.split(/(?<=\n)/)) yield { type: 'text_delta', blockIndex: 0, text: line }
  yield { type: 'block_end', blockIndex: 0 }
  yield { type: 'finish', reason: 'stop', model: offlineGuideModel.name }
}
