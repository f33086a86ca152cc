/** The client of Anthropic: the events of its stream, as they are; it does not put them together. */
import Anthropic from '@anthropic-ai/sdk'
import { memoryFetch } from '../decode/from-memory.mjs'

/** @param {import('../decode/streams.mjs').Stream} stream */
export function prepare(stream) {
  const client = new Anthropic({ apiKey: 'none', baseURL: 'http://127.0.0.1', fetch: memoryFetch(stream) })
  return async () => {
    const events = await client.messages.create({
      model: 'scripted',
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'Write.' }],
      stream: true,
    })
    let seen = 0
    for await (const event of events) {
      if (event.type !== 'content_block_delta') continue
      seen += event.delta.text?.length ?? event.delta.partial_json?.length ?? 0
    }
    return seen
  }
}
