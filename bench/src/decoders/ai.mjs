/** The AI SDK: `streamText` with its provider for servers that are compatible with OpenAI. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText, tool } from 'ai'
import { z } from 'zod'
import { memoryFetch } from '../decode/from-memory.mjs'

/** @param {import('../decode/streams.mjs').Stream} stream */
export function prepare(stream) {
  const provider = createOpenAICompatible({
    name: 'scripted',
    apiKey: 'none',
    baseURL: 'http://127.0.0.1/v1',
    fetch: memoryFetch(stream),
  })
  const model = provider('scripted')
  const tools = { write: tool({ description: 'Writes.', inputSchema: z.object({ text: z.string() }) }) }
  return async () => {
    let seen = 0
    for await (const part of streamText({ model, prompt: 'Write.', tools }).fullStream) {
      if (part.type === 'text-delta') seen += part.text.length
      if (part.type === 'tool-input-delta') seen += part.delta.length
      if (part.type === 'error') throw part.error
    }
    return seen
  }
}
