/** Ours at the protocol of Anthropic. */
import { anthropicClient } from '@looprig/inference/anthropic'
import { memoryDispatcher } from '../decode/from-memory.mjs'
import { readStream } from './read-looprig.mjs'

/** @param {import('../decode/streams.mjs').Stream} stream */
export function prepare(stream) {
  return readStream(anthropicClient({ baseUrl: 'http://127.0.0.1/v1', dispatcher: memoryDispatcher(stream) }))
}
