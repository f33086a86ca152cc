/** The floor: undici, lines, `JSON.parse`. No events, no limits, no errors. */
import { request } from 'undici'
import { memoryDispatcher } from '../decode/from-memory.mjs'

/** @param {import('../decode/streams.mjs').Stream} stream */
export function prepare(stream) {
  const dispatcher = memoryDispatcher(stream)
  return async () => {
    const { body } = await request('http://127.0.0.1/', { method: 'POST', body: '{}', dispatcher })
    const decoder = new TextDecoder()
    const answer = { text: '', input: '' }
    let rest = ''
    for await (const bytes of body) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop()
      for (const line of lines) if (line.startsWith('data: {')) take(JSON.parse(line.slice(6)), answer)
    }
    return answer.text.length + answer.input.length
  }
}

function take({ choices: [choice] }, answer) {
  if (choice?.delta.content) answer.text += choice.delta.content
  if (choice?.delta.tool_calls) answer.input += choice.delta.tool_calls[0].function.arguments
}
