/**
 * The provider of the AI SDK for servers that are compatible with OpenAI: the parts of its stream, as they are, without
 * `streamText` around it, which makes three of one.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
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
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Write.' }] }]
  return async () => {
    const response = await model.doStream({ prompt })
    let seen = 0
    for await (const part of response.stream) {
      if (part.type === 'text-delta' || part.type === 'tool-input-delta') seen += part.delta.length
      if (part.type === 'error') throw part.error
    }
    return seen
  }
}
