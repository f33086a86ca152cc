import type { Block, Message } from '@looprig/core'
import { InferenceError, type InferenceRequest } from '@looprig/inference'
import {
  createWireClient,
  parseWireObject,
  providerError,
  type WireCodec,
  wellFormedJson,
} from '@looprig/inference/wire'

/** A protocol of its own: `{"say": text}` for each piece of the answer, and `{"end": reason}` when it is whole. */
export const plainCodec: WireCodec<'plain'> = {
  api: 'plain',
  framing: 'sse',
  encode: ({ model, system, messages, tools, output }: InferenceRequest, mode) => {
    if (tools !== undefined && model.capabilities?.tools !== true) throw unsupported('tools')
    if (output !== undefined) throw unsupported('output')
    const turns = messages.map(({ role, blocks, ...rest }: Message) => ({
      role,
      call: 'toolUseId' in rest ? rest.toolUseId : undefined,
      parts: blocks.flatMap(partsOf),
    }))
    return {
      path: '/say',
      body: wellFormedJson({ model: model.name, stream: mode === 'stream', system, turns, tools }),
    }
  },
  decodeWhole: (text) => {
    const { said, end } = parseWireObject(text, 'the response')
    if (typeof said !== 'string' || typeof end !== 'string') throw new InferenceError('malformed', 'there is no answer')
    return [
      { type: 'block_start', blockIndex: 0, block: { type: 'text' } },
      { type: 'text_delta', blockIndex: 0, text: said },
      { type: 'block_end', blockIndex: 0 },
      { type: 'finish', reason: 'stop', rawReason: end },
    ]
  },
  openStream: () => {
    let [isOpen, isDone] = [false, false]
    return {
      get isDone() {
        return isDone
      },
      get hasReason() {
        return isDone
      },
      decode: (frame, out) => {
        const { say, end } = parseWireObject(frame, 'a frame')
        if (isDone) return
        if (!isOpen) out.push({ type: 'block_start', blockIndex: 0, block: { type: 'text' } })
        isOpen = true
        if (typeof say === 'string') out.push({ type: 'text_delta', blockIndex: 0, text: say })
        if (typeof end !== 'string') return
        isDone = true
        out.push({ type: 'block_end', blockIndex: 0 }, { type: 'finish', reason: 'stop', rawReason: end })
      },
      end: () => {
        if (!isDone) throw new InferenceError('truncated', 'the response ended before its end')
      },
    }
  },
  decodeError: (text, response, redact) =>
    providerError(`status ${response.status}`, { message: text }, redact, response),
}

export const plainClient = (baseUrl: string, apiKey: string) =>
  createWireClient({ baseUrl, apiKey }, { codec: plainCodec })

/** What another protocol sealed never comes here: only text, calls and results are sent. */
function partsOf(block: Block): object[] {
  if (block.type === 'text' || block.type === 'refusal') return [{ text: block.text }]
  if (block.type === 'tool_use') return [{ id: block.id, name: block.name, input: block.input }]
  if (block.type === 'thinking') return []
  throw unsupported(block.type)
}

function unsupported(part: string): InferenceError {
  return new InferenceError('unsupported', `${part}: the protocol has none`)
}
