/** The client of OpenAI: the chunks of its stream, as they are; it does not put them together. */
import OpenAI from 'openai'
import { memoryFetch } from '../decode/from-memory.mjs'

/** @param {import('../decode/streams.mjs').Stream} stream */
export function prepare(stream) {
  const client = new OpenAI({ apiKey: 'none', baseURL: 'http://127.0.0.1/v1', fetch: memoryFetch(stream) })
  return async () => {
    const chunks = await client.chat.completions.create({
      model: 'scripted',
      messages: [{ role: 'user', content: 'Write.' }],
      stream: true,
    })
    let seen = 0
    for await (const { choices } of chunks) {
      const delta = choices[0]?.delta
      seen += delta?.content?.length ?? delta?.tool_calls?.[0]?.function?.arguments?.length ?? 0
    }
    return seen
  }
}
