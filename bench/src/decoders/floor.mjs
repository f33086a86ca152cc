/** The floor: undici, lines, `JSON.parse`. No events, no limits, no errors. */
import { readLines } from './read-lines.mjs'

/** @param {import('../decode/streams.mjs').Stream} stream */
export function prepare(stream) {
  return readLines(stream, ({ choices: [choice] }, answer) => {
    if (choice?.delta.content) answer.text += choice.delta.content
    if (choice?.delta.tool_calls) answer.input += choice.delta.tool_calls[0].function.arguments
  })
}
