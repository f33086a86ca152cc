/** The OpenAI Agents SDK: a streamed `Runner.run` with a `Model` object; tracing, which would send, is off. */
import { Agent, assistant, Runner, tool, Usage, user } from '@openai/agents'
import { z } from 'zod'
import {
  add,
  delta,
  earlierText,
  instructions,
  playTurn,
  question,
  rawInputPieces,
  textDeltas,
  toolDescription,
  toolName,
} from '../script.mjs'

const runner = new Runner({ tracingDisabled: true })

/** @type {import('../subjects.mjs').Prepare} */
export function prepare(turn) {
  const input = Array.from({ length: turn.earlier }, (_, index) =>
    index % 2 === 0 ? user(earlierText) : assistant(earlierText),
  )
  input.push(user(question))
  return async () => {
    const seen = { calls: 0, characters: 0 }
    const agent = new Agent({ name: 'bench', instructions, model: scriptedModel(turn), tools: [addTool(seen)] })
    const result = await runner.run(agent, input, { stream: true, maxTurns: turn.steps + 1 })
    for await (const { type, data } of result) {
      if (type === 'raw_model_stream_event' && data.type === 'output_text_delta') seen.characters += data.delta.length
    }
    await result.completed
    return seen
  }
}

function addTool(seen) {
  return tool({
    name: toolName,
    description: toolDescription,
    parameters: z.strictObject({ a: z.number(), b: z.number() }),
    execute: async (input) => {
      seen.calls += 1
      return add(input)
    },
    errorFunction: null,
  })
}

/** The package's own test double copies and freezes every request, which nobody does at run time. */
function scriptedModel(turn) {
  const nextCalls = playTurn(turn)
  const rawInput = rawInputPieces(turn).join('')
  return {
    getResponse: () => Promise.reject(new Error('only streams')),
    getStreamedResponse: () => events(nextCalls(), rawInput, turn.deltas),
  }
}

async function* events(ids, rawInput, deltas) {
  yield { type: 'response_started' }
  if (ids.length === 0) for await (const text of textDeltas(deltas)) yield { type: 'output_text_delta', delta: text }
  const output = ids.length > 0 ? ids.map((id) => functionCall(id, rawInput)) : [answer(delta.repeat(deltas))]
  const usage = new Usage({ inputTokens: 1, outputTokens: 1, totalTokens: 2, requests: 1 })
  yield { type: 'response_done', response: { id: 'response', usage, output } }
}

function functionCall(id, rawInput) {
  return { type: 'function_call', id, callId: id, name: toolName, status: 'completed', arguments: rawInput }
}

function answer(text) {
  const content = [{ type: 'output_text', text }]
  return { type: 'message', id: 'answer', role: 'assistant', status: 'completed', content }
}
