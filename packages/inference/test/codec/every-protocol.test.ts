import { type Message, userMessage } from '@looprig/core'
import { resultMessage } from '@looprig/core/testing'
import { decodeRecording } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { createAnthropicCodec } from '../../src/codec/anthropic-messages/codec.ts'
import { createBedrockCodec } from '../../src/codec/bedrock-converse/codec.ts'
import { createGeminiCodec } from '../../src/codec/gemini/codec.ts'
import { createChatCodec } from '../../src/codec/openai-chat/codec.ts'
import { createResponsesCodec } from '../../src/codec/openai-responses/codec.ts'
import type { WireApi, WireCodec } from '../../src/codec/wire-codec.ts'
import { streamOf } from './bedrock-converse/decoded.ts'

interface Call {
  readonly id: string
  readonly args?: string
}

/** One protocol, and how its provider says things in it. */
interface Spoken {
  readonly codec: WireCodec<WireApi>
  readonly calls: (calls: readonly Call[]) => string | Uint8Array
  /** Says in a response of status 200 that there is none. */
  readonly busy: object
  /** Says that a request is too long for the model. */
  readonly tooLong: { readonly body: object; readonly header?: string }
}

const sse = (frames: readonly object[]): string => frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')
const items = (calls: readonly Call[]) =>
  calls.map(({ id, args = '' }) => ({ type: 'function_call', call_id: id, name: 'look', arguments: args }))
const failed = { code: 'rate_limit_exceeded', message: 'busy' }

const protocols: Readonly<Record<WireApi, Spoken>> = {
  'anthropic-messages': {
    codec: createAnthropicCodec(),
    calls: (calls) =>
      sse([
        { type: 'message_start', message: { usage: {} } },
        ...calls.flatMap(({ id, args }, index) => [
          { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'look', input: {} } },
          ...(args === undefined
            ? []
            : [{ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: args } }]),
          { type: 'content_block_stop', index },
        ]),
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
        { type: 'message_stop' },
      ]),
    busy: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
    tooLong: {
      body: {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 208310 tokens > 200000 maximum' },
      },
    },
  },
  'openai-chat': {
    codec: createChatCodec(),
    calls: (calls) =>
      sse([
        ...calls.map(({ id, args }, index) => ({
          choices: [{ delta: { tool_calls: [{ index, id, function: { name: 'look', arguments: args } }] } }],
        })),
        { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
      ]),
    busy: { error: { message: 'busy', code: 503 } },
    tooLong: { body: { error: { message: 'too many tokens', code: 'context_length_exceeded' } } },
  },
  'openai-responses': {
    codec: createResponsesCodec(),
    calls: (calls) =>
      sse([
        ...items(calls).flatMap((item, index) => [
          { type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } },
          { type: 'response.output_item.done', output_index: index, item },
        ]),
        {
          type: 'response.completed',
          response: { id: 'r', object: 'response', status: 'completed', output: items(calls) },
        },
      ]),
    busy: { type: 'response.failed', response: { id: 'r', object: 'response', status: 'failed', error: failed } },
    tooLong: { body: { error: { message: 'too many tokens', code: 'context_length_exceeded' } } },
  },
  gemini: {
    codec: createGeminiCodec(),
    calls: (calls) => {
      const parts = calls.map(({ id, args }) => ({
        functionCall: { id, name: 'look', ...(args?.trim() ? { args: JSON.parse(args) } : {}) },
      }))
      return sse([{ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }])
    },
    busy: { error: { code: 503, status: 'UNAVAILABLE', message: 'busy' } },
    tooLong: {
      body: {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        },
      },
    },
  },
  'bedrock-converse': {
    codec: createBedrockCodec(),
    calls: (calls) =>
      streamOf(
        ['messageStart', { role: 'assistant' }],
        ...calls.flatMap(({ id, args }, contentBlockIndex): (readonly [string, object])[] => [
          ['contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId: id, name: 'look' } } }],
          ...(args === undefined
            ? []
            : [['contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input: args } } }] as const]),
          ['contentBlockStop', { contentBlockIndex }],
        ]),
        ['messageStop', { stopReason: 'tool_use' }],
      ),
    busy: { throttlingException: { message: 'busy' } },
    tooLong: { body: { message: 'Input is too long for requested model.' }, header: 'ValidationException' },
  },
}

const decode = async ({ codec, calls }: Spoken, made: readonly Call[]) => {
  const body = calls(made)
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return decodeRecording(codec, { bytes, form: 'stream' })
}
const model = { provider: 'p', name: 'm', capabilities: { tools: true }, limits: { maxOutputTokens: 10 } }

describe.each(Object.entries(protocols))('%s', (api, spoken) => {
  it.each([undefined, '', '   ', '{}'])('takes %j as no arguments of a call, which is there (A4, A5)', async (args) => {
    const { error, response } = await decode(spoken, [{ id: 'a', ...(args === undefined ? {} : { args }) }])

    expect(error).toBeUndefined()
    expect(response.message.blocks).toMatchObject([{ type: 'tool_use', name: 'look', input: {} }])
    expect(response.toolCalls).toHaveLength(1)
    expect(response.finish?.reason).toBe('tool_use')
  })

  it('keeps two calls of one id apart, and sends both results back, each to its own (A8)', async () => {
    const { response } = await decode(spoken, [
      { id: 'x', args: '{"n":1}' },
      { id: 'x', args: '{"n":2}' },
    ])
    const ids = response.toolCalls.map(({ toolUseId }) => toolUseId)
    const results: Message[] = ids.map((id, at) => resultMessage(id, `RESULT-${at}`))
    const messages = [userMessage('Look.'), response.message, ...results.toReversed(), userMessage('Go on.')]

    const { body } = spoken.codec.encode({ model, messages }, 'stream')

    expect(new Set(ids).size).toBe(2)
    expect(response.message.blocks).toMatchObject([{ input: { n: 1 } }, { input: { n: 2 } }])
    for (const part of ['RESULT-0', 'RESULT-1']) expect(body.split(part)).toHaveLength(2)
    // Chat pairs results by id alone and takes them in any order
    if (api !== 'openai-chat') expect(body.indexOf('RESULT-0')).toBeLessThan(body.indexOf('RESULT-1'))
  })

  it('fails for an error in a response of status 200, streamed and whole, and is no empty answer', async () => {
    const { busy, codec } = spoken
    const framed = api === 'bedrock-converse' ? streamOf(...Object.entries(busy)) : Buffer.from(sse([busy]))

    const streamed = await decodeRecording(codec, { bytes: framed, form: 'stream' })
    const said = 'response' in busy ? busy.response : busy
    const whole = await decodeRecording(codec, { bytes: Buffer.from(JSON.stringify(said)), form: 'whole' })

    expect(streamed.error).toMatchObject({ retryable: true })
    expect(['overloaded', 'rate_limited']).toContain(streamed.error?.code)
    expect(streamed.response.finish).toBeUndefined()
    // Bedrock tells errors of whole responses by status alone
    expect(whole.error?.code).toBe(api === 'bedrock-converse' ? 'malformed' : streamed.error?.code)
  })

  it('knows a request that is too long by what the provider says', () => {
    const { body, header } = spoken.tooLong
    const response = { status: 400, header: () => header }

    const error = spoken.codec.decodeError(JSON.stringify(body), response, (text) => text)

    expect(error).toMatchObject({ code: 'context_overflow', retryable: false, status: 400 })
  })
})
