import { request } from 'undici'
import { memoryDispatcher } from '../decode/from-memory.mjs'

/**
 * Reads a stream as plainly as can be.
 *
 * @param {import('../decode/streams.mjs').Stream} stream
 * @param {(frame: any, answer: {text: string, input: string}) => void} take
 */
export function readLines(stream, take) {
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
