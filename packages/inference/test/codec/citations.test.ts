import { type Message, userMessage } from '@looprig/core'
import { adaptTranscript, transcriptRules } from '@looprig/inference'
import { decodeRecording } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { createAnthropicCodec } from '../../src/codec/anthropic-messages/codec.ts'
import { createBedrockCodec } from '../../src/codec/bedrock-converse/codec.ts'
import { createChatCodec } from '../../src/codec/openai-chat/codec.ts'
import { createResponsesCodec } from '../../src/codec/openai-responses/codec.ts'
import type { WireApi, WireCodec } from '../../src/codec/wire-codec.ts'
import { streamOf } from './bedrock-converse/decoded.ts'

interface Case {
  readonly codec: WireCodec<WireApi>
  readonly stream: string | Uint8Array
  readonly whole: object
  readonly cited: object
}

const sse = (...frames: readonly object[]): string =>
  frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')

const place = { type: 'page_location', cited_text: 'Forty-two', document_index: 0, start_page_number: 1 }
const link = { type: 'url_citation', url: 'https://example.org/', start_index: 0, end_index: 4 }
const source = { title: 'Notes', location: { documentPage: { documentIndex: 0, start: 1, end: 2 } } }
const text = 'It is forty-two.'
const annotated = { type: 'output_text', text, annotations: [link] }
const message = { type: 'message', id: 'm', role: 'assistant', content: [annotated] }
const response = { id: 'r', object: 'response', status: 'completed', output: [message] }

const cases: Readonly<Record<WireApi, Case | undefined>> = {
  'anthropic-messages': {
    codec: createAnthropicCodec(),
    stream: sse(
      { type: 'message_start', message: { usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: [] } },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: place } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
      { type: 'message_stop' },
    ),
    whole: {
      type: 'message',
      content: [{ type: 'text', text, citations: [place] }],
      stop_reason: 'end_turn',
      usage: {},
    },
    cited: { format: 'anthropic-opaque', data: { citations: [place] } },
  },
  'openai-chat': {
    codec: createChatCodec(),
    stream: sse(
      { choices: [{ index: 0, delta: { content: text } }] },
      { choices: [{ index: 0, delta: { annotations: [link] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ),
    whole: { choices: [{ index: 0, message: { content: text, annotations: [link] }, finish_reason: 'stop' }] },
    cited: { format: 'openai-chat-annotations', data: [link] },
  },
  'openai-responses': {
    codec: createResponsesCodec(),
    stream: sse(
      { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: text },
      { type: 'response.output_item.done', output_index: 0, item: message },
      { type: 'response.completed', response },
    ),
    whole: response,
    cited: { format: 'openai-responses', data: { annotations: [link] } },
  },
  gemini: undefined,
  'bedrock-converse': {
    codec: createBedrockCodec(),
    stream: streamOf(
      ['messageStart', { role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text } }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { citation: source } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: 'end_turn' }],
    ),
    whole: {
      output: {
        message: { role: 'assistant', content: [{ citationsContent: { content: [{ text }], citations: [source] } }] },
      },
      stopReason: 'end_turn',
    },
    cited: { format: 'bedrock-converse-citations', data: [source] },
  },
}

const bytesOf = (body: string | Uint8Array): Uint8Array => (typeof body === 'string' ? Buffer.from(body) : body)

describe.each(Object.entries(cases).flatMap(([api, each]) => (each === undefined ? [] : [[api, each] as const])))(
  'where a text of %s comes from',
  (api, { codec, stream, whole, cited }) => {
    it.each(['stream', 'whole'] as const)('is kept in the state of the text: %s', async (form) => {
      const bytes = bytesOf(form === 'stream' ? stream : JSON.stringify(whole))

      const { error, response: decoded } = await decodeRecording(codec, { bytes, form })

      expect(error).toBeUndefined()
      expect(decoded.message.blocks).toEqual([{ type: 'text', text, state: cited }])
    })

    it('is no change of a history that goes back to it, and a change of one that goes elsewhere', async () => {
      const { response: decoded } = await decodeRecording(codec, { bytes: bytesOf(stream), form: 'stream' })
      const messages: readonly Message[] = [userMessage('Hi'), decoded.message]

      expect(adaptTranscript(messages, transcriptRules(codec.api)).changes).toEqual([])
      expect(adaptTranscript(messages, transcriptRules('gemini')).changes).toHaveLength(1)
    })

    it('does not keep the next request from being one', async () => {
      const { response: decoded } = await decodeRecording(codec, { bytes: bytesOf(stream), form: 'stream' })
      const model = { provider: 'p', name: 'm', limits: { maxOutputTokens: 10 } }

      const { body } = codec.encode(
        { model, messages: [userMessage('Hi'), decoded.message, userMessage('Go on')] },
        'whole',
      )

      expect(body).toContain(text)
      expect(body.includes('cited_text')).toBe(api === 'anthropic-messages')
    })
  },
)

describe('a picture that a Chat server made', () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const codec = createChatCodec()

  it.each([
    ['stream', sse({ choices: [{ delta: { content: 'Here.', images: [picture] }, finish_reason: 'stop' }] })],
    [
      'whole',
      JSON.stringify({ choices: [{ message: { content: 'Here.', images: [picture] }, finish_reason: 'stop' }] }),
    ],
  ] as const)('is a block: %s', async (form, body) => {
    const { response: decoded } = await decodeRecording(codec, { bytes: Buffer.from(body), form })

    expect(decoded.message.blocks).toEqual([
      { type: 'text', text: 'Here.' },
      { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    ])
  })

  it('is told in words when the history goes back, since an answer has no place for it', async () => {
    const body = JSON.stringify({ choices: [{ message: { content: null, images: [picture] }, finish_reason: 'stop' }] })
    const { response: decoded } = await decodeRecording(codec, { bytes: Buffer.from(body), form: 'whole' })

    const request = { model: { provider: 'p', name: 'm' }, messages: [userMessage('Draw.'), decoded.message] }

    expect(codec.encode(request, 'whole').body).toContain('image (image/png)')
  })

  it.each(['https://example.org/a.png', 'data:image/png;base64,', 'data:text/html;base64,%%%', 7])(
    'is left out when it could not be read back: %s',
    async (url) => {
      const message = { content: 'Here.', images: [{ type: 'image_url', image_url: { url } }, null] }
      const body = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] })

      const { response: decoded } = await decodeRecording(codec, { bytes: Buffer.from(body), form: 'whole' })

      expect(decoded.message.blocks).toEqual([{ type: 'text', text: 'Here.' }])
    },
  )
})
