/** Pi: its provider for Chat, on the client of OpenAI. */
import { streamSimple } from '@mariozechner/pi-ai'
import { memoryFetch } from '../decode/from-memory.mjs'

const model = {
  id: 'scripted',
  name: 'scripted',
  api: 'openai-completions',
  provider: 'openai',
  baseUrl: 'http://127.0.0.1/v1',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 100_000,
}
const context = { messages: [{ role: 'user', content: 'Write.', timestamp: 0 }] }

/** @param {import('../decode/streams.mjs').Stream} stream */
export function prepare(stream) {
  globalThis.fetch = memoryFetch(stream)
  return async () => {
    let seen = 0
    for await (const event of streamSimple(model, context, { apiKey: 'none' })) {
      if (event.type === 'text_delta' || event.type === 'toolcall_delta') seen += event.delta.length
      if (event.type === 'error') throw new Error(event.error.errorMessage)
    }
    return seen
  }
}
