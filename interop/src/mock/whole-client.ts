import type { Block, BlockStart, StreamEvent } from '@looprig/core'
import { createInferenceStream, type InferenceClient, type InferenceResponse } from '@looprig/inference'

/** A client whose every answer is asked for whole: it makes the stream that a session reads out of the response. */
export function wholeClient(client: InferenceClient): InferenceClient {
  return {
    invoke: (request, options) => client.invoke(request, options),
    stream: (request, { signal } = {}) =>
      createInferenceStream(async function* (aborted) {
        yield* eventsOf(await client.invoke(request, { signal: aborted }))
      }, signal),
  }
}

function* eventsOf({ message, toolCalls, finishReason }: InferenceResponse): Generator<StreamEvent> {
  for (const [blockIndex, block] of message.blocks.entries()) {
    yield { type: 'block_start', blockIndex, block: startOf(block) }
    if (block.type === 'text' || block.type === 'refusal') yield { type: 'text_delta', blockIndex, text: block.text }
    if (block.type === 'thinking') yield { type: 'thinking_delta', blockIndex, text: block.text }
    if (block.type === 'tool_use') {
      const argsJson = toolCalls.find(({ toolUseId }) => toolUseId === block.id)?.argsJson ?? '{}'
      yield { type: 'tool_input_delta', blockIndex, text: argsJson }
    }
    const seal = block.type === 'thinking' ? block.seal : undefined
    const state = 'state' in block ? block.state : undefined
    if (seal !== undefined || state !== undefined) {
      yield { type: 'block_state', blockIndex, ...(seal && { seal }), ...(state && { state }) }
    }
    yield { type: 'block_end', blockIndex }
  }
  const { usage, model } = message
  yield { type: 'finish', reason: finishReason, ...(usage && { usage }), ...(model !== undefined && { model }) }
}

function startOf(block: Block): BlockStart {
  switch (block.type) {
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name }
    case 'tool_result':
      throw new Error('no model answers with a tool result')
    case 'text':
    case 'refusal':
    case 'thinking':
      return { type: block.type }
    default:
      return block
  }
}
