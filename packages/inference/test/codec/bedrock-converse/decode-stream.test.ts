import { describe, expect, it } from 'vitest'
import {
  begin,
  decodeEvents,
  decodeStream,
  decodeWhole,
  delta,
  ended,
  exceptionBytes,
  full,
  input,
  message,
  startCall,
  stop,
  text,
  usage,
} from './decoded.ts'

describe('ConverseStreamDecoder', () => {
  it('folds thinking with its seal, redacted thinking, text, calls and usage, and runs nothing of the server', async () => {
    const { response } = await decodeStream(full.stream)

    expect(response.message).toEqual({
      role: 'assistant',
      blocks: [
        { type: 'thinking', text: 'First a.txt.', seal: { format: 'bedrock-converse', signature: 'SIG/one+==' } },
        { type: 'thinking', text: '', state: { format: 'bedrock-converse-redacted-thinking', data: 'RU5DL2FiYw==' } },
        { type: 'text', text: 'Grüße 👋🏽, 東京' },
        { type: 'tool_use', id: 'tooluse_A', name: 'ReadFile', input: { path: 'a.txt' } },
        { type: 'tool_use', id: 'tooluse_B', name: 'now', input: {} },
      ],
      usage: { inputTokens: 3, outputTokens: 5, cacheReadTokens: 100, cacheCreationTokens: 7 },
    })
    expect(response.finish).toEqual({ reason: 'tool_use', rawReason: 'tool_use' })
  })

  it('gives what a whole response gives', async () => {
    const streamed = await decodeStream(full.stream)

    const whole = await decodeWhole(full.whole)

    expect(whole.error).toBeUndefined()
    expect(whole.response).toEqual(streamed.response)
  })

  it('is complete with messageStop, also when no usage follows', async () => {
    const { response, error } = await decodeEvents(begin, text(0, 'Hi'), ended('end_turn'))

    expect(error).toBeUndefined()
    expect(response.finish).toEqual({ reason: 'stop', rawReason: 'end_turn' })
  })

  it('is truncated before messageStop', async () => {
    const { response, error } = await decodeEvents(begin, text(0, 'Hi'), stop(0), usage)

    expect(error).toMatchObject({ code: 'truncated', retryable: true })
    expect(response.finish).toBeUndefined()
  })

  it('keeps the raw text of a call that the output limit cut, and says length', async () => {
    const call = startCall(0, { toolUseId: 't', name: 'Write' })

    const { response } = await decodeEvents(begin, call, input(0, '{"path":"a'), ended('max_tokens'))

    expect(response.toolCalls).toEqual([{ toolUseId: 't', name: 'Write', argsJson: '{"path":"a' }])
    expect(response.message.blocks).toEqual([{ type: 'tool_use', id: 't', name: 'Write', input: {} }])
    expect(response.finish?.reason).toBe('length')
  })

  it.each([
    ['no', []],
    ['empty', [input(0, '')]],
    ['blank', [input(0, '  ')]],
  ])('reads %s argument text as no arguments', async (_what, pieces) => {
    const call = startCall(0, { toolUseId: 't', name: 'now' })

    const { response } = await decodeEvents(begin, call, ...pieces, stop(0), ended('tool_use'))

    expect(response.message.blocks).toEqual([{ type: 'tool_use', id: 't', name: 'now', input: {} }])
  })

  it('takes a start that is sent again for one call', async () => {
    const call = startCall(0, { toolUseId: 't', name: 'now' })

    const { response } = await decodeEvents(begin, call, call, stop(0), ended('tool_use'))

    expect(response.toolCalls).toHaveLength(1)
  })

  it('begins another block where the kind under an index changes', async () => {
    const { response } = await decodeEvents(
      begin,
      delta(0, { reasoningContent: { text: 'Hm' } }),
      text(0, 'So'),
      startCall(0, { toolUseId: 't', name: 'now' }),
      ended('tool_use'),
    )

    expect(response.message.blocks.map((block) => block.type)).toEqual(['thinking', 'text', 'tool_use'])
  })

  it('joins a signature and redacted thinking that come in pieces', async () => {
    const piece = (reasoningContent: object) => delta(0, { reasoningContent })

    const { response } = await decodeEvents(
      begin,
      piece({ redactedContent: 'RQ==' }),
      piece({ redactedContent: 'TkM=' }),
      piece({ signature: 'SI' }),
      piece({ signature: 'G' }),
      ended('end_turn'),
    )

    expect(response.message.blocks).toEqual([
      {
        type: 'thinking',
        text: '',
        seal: { format: 'bedrock-converse', signature: 'SIG' },
        state: { format: 'bedrock-converse-redacted-thinking', data: 'RU5D' },
      },
    ])
  })

  it.each([
    { announced: 'nothing', start: {} },
    { announced: 'its kind', start: { text: '' } },
  ])('keeps a text whose start announces $announced', async ({ start }) => {
    const { response } = await decodeEvents(
      begin,
      ['contentBlockStart', { contentBlockIndex: 0, start: { reasoningContent: {} } }],
      delta(0, { reasoningContent: { text: 'Hm.' } }),
      stop(0),
      ['contentBlockStart', { contentBlockIndex: 1, start }],
      text(1, 'Hi'),
      stop(1),
      ended('end_turn'),
    )

    expect(response.message.blocks).toEqual([
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'Hi' },
    ])
  })

  it('skips events, blocks and pieces that it does not know', async () => {
    const { response, error } = await decodeEvents(
      begin,
      ['weather', { wind: 3 }],
      ['contentBlockStart', { contentBlockIndex: 0, start: { toolResult: { toolUseId: 's' } } }],
      delta(0, { toolResult: [{ text: 'hidden' }] }),
      stop(0),
      delta(1, { citation: { title: 'x' } }),
      text(2, 'Hi'),
      ended('end_turn'),
      usage,
      exceptionBytes('internalServerException', 'late'),
    )

    expect(error).toBeUndefined()
    expect(response.message.blocks).toEqual([{ type: 'text', text: 'Hi' }])
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_use'],
    ['content_filtered', 'content_filter'],
    ['guardrail_intervened', 'content_filter'],
    ['malformed_tool_use', 'unknown'],
  ])('maps stop reason %s to %s and keeps the word', async (rawReason, reason) => {
    expect((await decodeEvents(begin, ended(rawReason))).response.finish).toEqual({ reason, rawReason })
  })

  it.each([
    ['throttlingException', 'Too many tokens, please wait', 'rate_limited', true],
    ['serviceUnavailableException', 'busy', 'overloaded', true],
    ['internalServerException', 'oops', 'server_error', true],
    ['modelStreamErrorException', 'oops', 'server_error', true],
    ['modelTimeoutException', 'late', 'timeout', true],
    ['validationException', 'Input is too long for requested model.', 'context_overflow', false],
    ['validationException', 'no such field', 'invalid_request', false],
    ['someNewException', 'what', 'server_error', true],
  ])('fails on %s (%s) with %s, after what came before it', async (type, said, code, retryable) => {
    const { response, error } = await decodeEvents(begin, text(0, 'Hel'), exceptionBytes(type, said))

    expect(error).toMatchObject({ code, retryable, provider: { type, message: said } })
    expect(response.message.blocks).toEqual([{ type: 'text', text: 'Hel' }])
  })

  it('fails on an error that is told in headers alone', async () => {
    const headers = { ':message-type': 'error', ':error-code': 'ThrottlingException', ':error-message': 'slow' }

    expect((await decodeEvents(begin, message(headers, ''))).error).toMatchObject({
      code: 'rate_limited',
      provider: { message: 'slow' },
    })
  })

  it.each([
    ['arguments of a call that did not start', input(3, '{}')],
    ['a payload that is not JSON', message({ ':message-type': 'event', ':event-type': 'contentBlockDelta' }, '{"del')],
  ])('is malformed with %s', async (_what, part) => {
    expect((await decodeEvents(begin, part)).error?.code).toBe('malformed')
  })
})

describe('decodeResponse of Bedrock Converse', () => {
  it.each([
    ['no message', { stopReason: 'end_turn' }, 'malformed'],
    ['an error object', { __type: 'com.amazon.coral#ThrottlingException', message: 'slow' }, 'rate_limited'],
    ['text that is not JSON', 'gateway', 'malformed'],
    ['nothing', '', 'malformed'],
  ])('fails on %s', async (_what, body, code) => {
    expect((await decodeWhole(body)).error?.code).toBe(code)
  })

  it('keeps arguments that came whole, and says when they are none', async () => {
    const content = [
      { toolUse: { toolUseId: 'a', name: 'f', input: ['x'] } },
      { toolUse: { toolUseId: 'b', name: 'f' } },
    ]

    const { response } = await decodeWhole({ output: { message: { content } }, stopReason: 'tool_use' })

    expect(response.toolCalls.map(({ argsJson }) => argsJson)).toEqual(['["x"]', ''])
  })
})
