/** Pi: its `Agent` with a stream function. It keeps no journal and pauses a tool's model for nobody. */
import { Agent } from '@mariozechner/pi-agent-core'
import { createAssistantMessageEventStream, Type } from '@mariozechner/pi-ai'
import {
  add,
  callInput,
  earlierText,
  instructions,
  isBurst,
  nextBurst,
  playTurn,
  question,
  rawInputPieces,
  textDeltas,
  toolDescription,
  toolName,
} from '../script.mjs'

const model = {
  id: 'scripted',
  name: 'scripted',
  api: 'scripted',
  provider: 'scripted',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 100_000,
}
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost }

/** @type {import('../subjects.mjs').Prepare} */
export function prepare(turn) {
  const messages = Array.from({ length: turn.earlier }, (_, index) =>
    index % 2 === 0 ? userMessage(earlierText) : assistantMessage([{ type: 'text', text: earlierText }], 'stop'),
  )
  return async () => {
    const seen = { calls: 0, characters: 0 }
    const agent = new Agent({
      initialState: { systemPrompt: instructions, model, tools: [addTool(seen)], messages },
      streamFn: scriptedStream(turn),
    })
    for (let reader = 0; reader < turn.readers; reader += 1) {
      agent.subscribe((event) => {
        if (event.type !== 'message_update') return
        const { assistantMessageEvent: update } = event
        if (update.type === 'text_delta') seen.characters += update.delta.length
        if (update.type === 'toolcall_delta' && turn.argumentPieces > 1) seen.characters += update.delta.length
      })
    }
    await agent.prompt(question)
    if (agent.state.errorMessage !== undefined) throw new Error(agent.state.errorMessage)
    return seen
  }
}

/** @type {import('../subjects.mjs').Stall} */
export async function stall(turn, onRead) {
  const agent = new Agent({
    initialState: { systemPrompt: instructions, model, tools: [], messages: [] },
    streamFn: scriptedStream(turn),
  })
  let read = 0
  agent.subscribe(async (event) => {
    if (event.type !== 'message_update' || event.assistantMessageEvent.type !== 'text_delta') return
    read += 1
    await onRead(read)
  })
  await agent.prompt(question)
}

function addTool(seen) {
  return {
    name: toolName,
    label: toolName,
    description: toolDescription,
    parameters: Type.Object(
      { a: Type.Number(), b: Type.Number(), note: Type.Optional(Type.String()) },
      { additionalProperties: false },
    ),
    execute: async (_id, input) => {
      seen.calls += 1
      return { content: [{ type: 'text', text: add(input) }], details: undefined }
    },
  }
}

function scriptedStream(turn) {
  const nextCalls = playTurn(turn)
  const pieces = rawInputPieces(turn)
  return () => {
    const stream = createAssistantMessageEventStream()
    void play(stream, nextCalls(), pieces, turn)
    return stream
  }
}

async function play(stream, ids, pieces, turn) {
  const partial = assistantMessage([], ids.length > 0 ? 'toolUse' : 'stop')
  stream.push({ type: 'start', partial })
  for (const [contentIndex, id] of ids.entries()) {
    // its providers read what has come of the arguments at every piece; that is not in this measure
    const toolCall = { type: 'toolCall', id, name: toolName, arguments: callInput }
    partial.content.push(toolCall)
    stream.push({ type: 'toolcall_start', contentIndex, partial })
    for (const [index, delta] of pieces.entries()) {
      if (isBurst(index)) await nextBurst()
      stream.push({ type: 'toolcall_delta', contentIndex, delta, partial })
    }
    stream.push({ type: 'toolcall_end', contentIndex, toolCall, partial })
  }
  if (ids.length === 0) await playText(stream, partial, turn)
  stream.push({ type: 'done', reason: partial.stopReason, message: partial })
  stream.end()
}

async function playText(stream, partial, { deltas, produced }) {
  const block = { type: 'text', text: '' }
  partial.content.push(block)
  stream.push({ type: 'text_start', contentIndex: 0, partial })
  for await (const delta of textDeltas(deltas, produced)) {
    block.text += delta
    stream.push({ type: 'text_delta', contentIndex: 0, delta, partial })
  }
  stream.push({ type: 'text_end', contentIndex: 0, content: block.text, partial })
}

function userMessage(text) {
  return { role: 'user', content: text, timestamp: 0 }
}

function assistantMessage(content, stopReason) {
  const { api, provider, id } = model
  return { role: 'assistant', content, api, provider, model: id, usage, stopReason, timestamp: 0 }
}
