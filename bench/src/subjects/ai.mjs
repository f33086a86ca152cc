/** The AI SDK: `streamText` with a model object of its specification. */
import { stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import {
  add,
  earlierText,
  instructions,
  isBurst,
  nextBurst,
  playTurn,
  question,
  rawInputPieces,
  textDeltas,
  toolDescription,
} from '../script.mjs'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** @type {import('../subjects.mjs').Prepare} */
export function prepare(turn) {
  const messages = Array.from({ length: turn.earlier }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: earlierText,
  }))
  messages.push({ role: 'user', content: question })
  return async () => {
    const seen = { calls: 0, characters: 0 }
    const result = streamText({
      model: scriptedModel(turn),
      system: instructions,
      messages,
      tools: { add: addTool(seen) },
      stopWhen: stepCountIs(turn.steps + 1),
    })
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') seen.characters += part.text.length
      if (part.type === 'tool-input-delta' && turn.argumentPieces > 1) seen.characters += part.delta.length
      if (part.type === 'error') throw part.error
    }
    return seen
  }
}

/** @type {import('../subjects.mjs').Stall} */
export async function stall(turn, onRead) {
  let read = 0
  for await (const part of streamText({ model: scriptedModel(turn), prompt: question }).fullStream) {
    if (part.type === 'text-delta') await onRead(++read)
  }
}

function addTool(seen) {
  return tool({
    description: toolDescription,
    inputSchema: z.strictObject({ a: z.number(), b: z.number(), note: z.string().optional() }),
    execute: (input) => {
      seen.calls += 1
      return add(input)
    },
  })
}

/** The package's own test double keeps every request, which nobody does at run time. */
function scriptedModel(turn) {
  const nextCalls = playTurn(turn)
  const pieces = rawInputPieces(turn)
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('only streams')),
    doStream: async () => ({ stream: ReadableStream.from(parts(nextCalls(), pieces, turn)) }),
  }
}

async function* parts(ids, pieces, { deltas, produced }) {
  yield { type: 'stream-start', warnings: [] }
  for (const id of ids) {
    yield { type: 'tool-input-start', id, toolName: 'add' }
    for (const [index, delta] of pieces.entries()) {
      if (isBurst(index)) await nextBurst()
      yield { type: 'tool-input-delta', id, delta }
    }
    yield { type: 'tool-input-end', id }
    yield { type: 'tool-call', toolCallId: id, toolName: 'add', input: pieces.join('') }
  }
  if (ids.length === 0) {
    yield { type: 'text-start', id: 'text' }
    for await (const delta of textDeltas(deltas, produced)) yield { type: 'text-delta', id: 'text', delta }
    yield { type: 'text-end', id: 'text' }
  }
  const unified = ids.length > 0 ? 'tool-calls' : 'stop'
  yield { type: 'finish', finishReason: { unified, raw: unified }, usage }
}
