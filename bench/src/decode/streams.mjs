/** The bytes of streamed responses, as a provider sends them: what every decoder is given. */

/** One piece of text or of arguments. */
const piece = 'words'

/** How long each frame of Chat is: OpenAI fills them up, so that nobody sees from outside what is in them. */
const frameBytes = 256

/** How the bytes come: a record of TLS has at most so many. */
const readBytes = 16 * 1024

/**
 * @typedef {'text' | 'arguments'} Kind what the deltas are pieces of.
 * @typedef {object} Stream
 * @property {number} deltas
 * @property {number} bytes
 * @property {number} characters in all deltas together.
 * @property {readonly Uint8Array[]} reads
 */

/**
 * A Chat stream.
 *
 * @param {Kind} kind
 * @param {number} deltas
 * @returns {Stream}
 */
export function chatStream(kind, deltas) {
  const call = { index: 0, id: 'call-1', type: 'function', function: { name: 'write', arguments: '{"text":"' } }
  const first = kind === 'text' ? { role: 'assistant', content: '' } : { role: 'assistant', tool_calls: [call] }
  const next = kind === 'text' ? { content: piece } : argumentDelta(piece)
  const frames = [chunk(first), ...Array.from({ length: deltas }, () => chunk(next))]
  if (kind === 'arguments') frames.push(chunk(argumentDelta('"}')))
  frames.push(chunk({}, kind === 'text' ? 'stop' : 'tool_calls'))
  const usage = { prompt_tokens: 10, completion_tokens: deltas, total_tokens: deltas + 10 }
  frames.push({ ...envelope, choices: [], usage })
  const text = frames.map((frame) => `data: ${JSON.stringify(filled(frame))}\n\n`).join('')
  return toStream(`${text}data: [DONE]\n\n`, kind, deltas)
}

/**
 * The same in the protocol of Anthropic.
 *
 * @param {Kind} kind
 * @param {number} deltas
 * @returns {Stream}
 */
export function messagesStream(kind, deltas) {
  const isText = kind === 'text'
  const usage = { input_tokens: 10, output_tokens: 1 }
  const message = { id: 'msg-1', type: 'message', role: 'assistant', model: 'scripted', content: [], usage }
  const block = isText ? { type: 'text', text: '' } : { type: 'tool_use', id: 'call-1', name: 'write', input: {} }
  const delta = (text) => ({
    type: 'content_block_delta',
    index: 0,
    delta: isText ? { type: 'text_delta', text } : { type: 'input_json_delta', partial_json: text },
  })
  const frames = [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    ...(isText ? [] : [delta('{"text":"')]),
    ...Array.from({ length: deltas }, () => delta(piece)),
    ...(isText ? [] : [delta('"}')]),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: deltas },
    },
    { type: 'message_stop' },
  ]
  const text = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join('')
  return toStream(text, kind, deltas)
}

const envelope = {
  id: 'chatcmpl-0123456789abcdefghijklmnopqrs',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'scripted-model',
}

function chunk(delta, finish = null) {
  return { ...envelope, choices: [{ index: 0, delta, finish_reason: finish }] }
}

function filled(frame) {
  const missing = frameBytes - JSON.stringify({ ...frame, obfuscation: '' }).length
  return { ...frame, obfuscation: 'x'.repeat(Math.max(0, missing)) }
}

function argumentDelta(text) {
  return { tool_calls: [{ index: 0, function: { arguments: text } }] }
}

function toStream(text, kind, deltas) {
  const bytes = new TextEncoder().encode(text)
  const reads = []
  for (let at = 0; at < bytes.length; at += readBytes) reads.push(bytes.subarray(at, at + readBytes))
  const frame = kind === 'text' ? 0 : '{"text":""}'.length
  return { deltas, bytes: bytes.length, characters: deltas * piece.length + frame, reads }
}
