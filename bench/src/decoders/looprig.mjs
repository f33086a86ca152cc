/** Ours: the Chat client, read to its end, and the whole message. */
import { openAIChatClient } from '@looprig/inference/openai'
import { memoryDispatcher } from '../decode/from-memory.mjs'
import { readStream } from './read-looprig.mjs'

/** @param {import('../decode/streams.mjs').Stream} stream */
export function prepare(stream) {
  return readStream(openAIChatClient({ baseUrl: 'http://127.0.0.1/v1', dispatcher: memoryDispatcher(stream) }))
}
