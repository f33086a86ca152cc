/** The floor at the protocol of Anthropic. */
import { readLines } from './read-lines.mjs'

/** @param {import('../decode/streams.mjs').Stream} stream */
export function prepare(stream) {
  return readLines(stream, ({ delta }, answer) => {
    if (delta?.text) answer.text += delta.text
    if (delta?.partial_json) answer.input += delta.partial_json
  })
}
