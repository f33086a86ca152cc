import { describe, expect, it } from 'vitest'
import {
  args,
  begin,
  decodeEvents,
  decodeStream,
  finish,
  fixture,
  piece,
  startBlock,
  stopBlock,
  text,
} from './decoded.ts'

const calls = (decoded: Awaited<ReturnType<typeof decodeEvents>>) =>
  decoded.response.toolCalls.map(({ toolUseId, name, argsJson }) => [toolUseId, name, argsJson])

describe('MessageStreamDecoder', () => {
  it('folds text, model and usage, where later counts win and null counts for nothing', async () => {
    const { response } = await decodeStream(fixture('text.sse'))

    expect(response).toEqual({
      message: {
        role: 'assistant',
        blocks: [{ type: 'text', text: 'Grüße 👋🏽, 東京 и Киев' }],
        usage: { inputTokens: 12, outputTokens: 9, cacheReadTokens: 100, cacheCreationTokens: 3 },
        model: 'wren-4',
      },
      toolCalls: [],
      finish: { reason: 'stop', rawReason: 'end_turn' },
    })
  })

  it('keeps thinking, its seals, redacted thinking and calls apart and in order', async () => {
    const decoded = await decodeStream(fixture('thinking-tools.sse'))

    expect(decoded.response.message.blocks).toEqual([
      { type: 'thinking', text: 'First a.txt.\n', seal: { format: 'anthropic', signature: 'SIG/one+==' } },
      { type: 'tool_use', id: 'toolu_A', name: 'ReadFile', input: { path: 'a.txt' } },
      { type: 'thinking', text: '', state: { format: 'anthropic-redacted-thinking', data: 'ENC/abc+def==' } },
      { type: 'thinking', text: '', seal: { format: 'anthropic', signature: 'SIG/two+==' } },
      { type: 'tool_use', id: 'toolu_B', name: 'now', input: {} },
    ])
    expect(calls(decoded)).toEqual([
      ['toolu_A', 'ReadFile', '{"path":"a.txt"}'],
      ['toolu_B', 'now', ''],
    ])
    expect(decoded.response.message.usage?.reasoningTokens).toBe(20)
  })

  it("keeps blocks of the server's own tools opaque, so that none of them is a call", async () => {
    const { response } = await decodeStream(fixture('server-tools.sse'))

    expect(response.toolCalls).toEqual([])
    expect(response.message.blocks.map((block) => [block.type, 'state' in block ? block.state?.format : ''])).toEqual([
      ['thinking', 'anthropic-opaque'],
      ['thinking', 'anthropic-opaque'],
      ['thinking', 'anthropic-opaque'],
      ['text', 'anthropic-opaque'],
    ])
    expect(response.message.blocks[0]).toMatchObject({
      state: { data: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'larks' } } },
    })
    expect(response.finish).toEqual({ reason: 'pause', rawReason: 'pause_turn' })
  })

  it('gives up an opaque block that was cut, or had a piece that nobody knows', async () => {
    const { response, error } = await decodeEvents(
      begin(),
      startBlock(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      args(0, '{"query":"la'),
      stopBlock(0),
      startBlock(1, { type: 'hologram' }),
      piece(1, { type: 'hologram_delta', light: 1 }),
      stopBlock(1),
      startBlock(2, { type: 'server_tool_use', id: 's2', name: 'web_search', input: {} }),
      ...finish('max_tokens'),
    )

    expect(error).toBeUndefined()
    expect(response.message.blocks).toEqual([])
  })

  it('keeps the raw text of a call that the output limit cut, and says length', async () => {
    const decoded = await decodeEvents(
      begin(),
      startBlock(0, { type: 'tool_use', id: 't', name: 'Write', input: {} }),
      args(0, '{"path":"a","content":"ha'),
      ...finish('max_tokens'),
    )

    expect(calls(decoded)).toEqual([['t', 'Write', '{"path":"a","content":"ha']])
    expect(decoded.response.message.blocks).toEqual([{ type: 'tool_use', id: 't', name: 'Write', input: {} }])
    expect(decoded.response.finish?.reason).toBe('length')
  })

  it.each([
    ['blank', args(0, '  ')],
    ['empty', args(0, '')],
    ['no', { type: 'ping' }],
  ])('reads %s argument text as no arguments', async (_what, event) => {
    const decoded = await decodeEvents(
      begin(),
      startBlock(0, { type: 'tool_use', id: 't', name: 'now', input: {} }),
      event,
      stopBlock(0),
      ...finish('tool_use'),
    )

    expect(decoded.response.message.blocks).toEqual([{ type: 'tool_use', id: 't', name: 'now', input: {} }])
  })

  it('takes arguments that come whole with the start, unless pieces follow', async () => {
    const decoded = await decodeEvents(
      begin(),
      startBlock(0, { type: 'tool_use', id: 'a', name: 'roll', input: { sides: 6 } }),
      stopBlock(0),
      startBlock(1, { type: 'tool_use', id: 'b', name: 'roll', input: { sides: 6 } }),
      args(1, '{"sides":'),
      args(1, '8}'),
      stopBlock(1),
      ...finish('tool_use'),
    )

    expect(calls(decoded)).toEqual([
      ['a', 'roll', '{"sides":6}'],
      ['b', 'roll', '{"sides":8}'],
    ])
  })

  it('takes text and thinking that come with their start, or without any start', async () => {
    const { response } = await decodeEvents(
      begin(),
      startBlock(0, { type: 'thinking', thinking: 'Hm', signature: 'S' }),
      stopBlock(0),
      startBlock(1, { type: 'text', text: 'So' }),
      text(1, ' be it.'),
      stopBlock(1),
      text(2, ' Amen.'),
      ...finish('end_turn'),
    )

    expect(response.message.blocks).toEqual([
      { type: 'thinking', text: 'Hm', seal: { format: 'anthropic', signature: 'S' } },
      { type: 'text', text: 'So be it.' },
      { type: 'text', text: ' Amen.' },
    ])
  })

  it('takes a message, or a block, that a gateway begins twice for one', async () => {
    const call = startBlock(0, { type: 'tool_use', id: 't', name: 'now', input: {} })

    const decoded = await decodeEvents(begin(), begin(), call, call, stopBlock(0), ...finish('tool_use'))

    expect(calls(decoded)).toEqual([['t', 'now', '']])
  })

  it('keeps calls apart that a gateway puts under one index', async () => {
    const decoded = await decodeEvents(
      begin(),
      startBlock(0, { type: 'tool_use', id: 'a', name: 'add', input: {} }),
      args(0, '{"n":1}'),
      startBlock(0, { type: 'tool_use', id: 'b', name: 'add', input: {} }),
      args(0, '{"n":2}'),
      stopBlock(0),
      ...finish('tool_use'),
    )

    expect(calls(decoded)).toEqual([
      ['a', 'add', '{"n":1}'],
      ['b', 'add', '{"n":2}'],
    ])
  })

  it('gives calls that share an id ids of their own', async () => {
    const call = (index: number) => [
      startBlock(index, { type: 'tool_use', id: 'x', name: 'f', input: {} }),
      stopBlock(index),
    ]

    const decoded = await decodeEvents(begin(), ...call(0), ...call(1), ...finish('tool_use'))

    expect(calls(decoded).map(([id]) => id)).toEqual(['x', 'x-2'])
  })

  it('takes indexes for places, also negative, huge and out of order', async () => {
    const { response } = await decodeEvents(
      begin(),
      text(999_999_999, 'c'),
      text(-3, 'a'),
      text(7, 'b'),
      ...finish('end_turn'),
    )

    expect(response.message.blocks).toEqual(['a', 'b', 'c'].map((said) => ({ type: 'text', text: said })))
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_use'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'pause'],
    ['a_new_word', 'unknown'],
  ])('maps stop reason %s to %s and keeps the word', async (rawReason, reason) => {
    const { response } = await decodeEvents(begin(), ...finish(rawReason))

    expect(response.finish).toEqual({ reason, rawReason })
  })

  it('has no clean stop without a reason, and means tool_use after calls', async () => {
    const plain = await decodeEvents(begin(), text(0, 'Hi'), ...finish(null))
    const called = await decodeEvents(
      begin(),
      startBlock(0, { type: 'tool_use', id: 't', name: 'f' }),
      ...finish('end_turn'),
    )

    expect(plain.response.finish).toEqual({ reason: 'unknown' })
    expect(called.response.finish?.reason).toBe('tool_use')
  })

  it.each([
    ['overloaded_error', 'overloaded', true],
    ['rate_limit_error', 'rate_limited', true],
    ['api_error', 'server_error', true],
    ['timeout_error', 'timeout', true],
    ['authentication_error', 'auth', false],
    ['billing_error', 'quota', false],
    ['request_too_large', 'context_overflow', false],
  ])('fails on an error event of type %s with %s, after what came before it', async (type, code, retryable) => {
    const { response, error } = await decodeEvents(begin(), text(0, 'Hel'), {
      type: 'error',
      error: { type, message: 'no' },
    })

    expect(error).toMatchObject({ code, retryable, provider: { type, message: 'no' } })
    expect(response.message.blocks).toEqual([{ type: 'text', text: 'Hel' }])
    expect(response.finish).toBeUndefined()
  })

  it.each([
    ['a frame that is not JSON', 'data: {"type":"content_block_de\n\ndata: {"type":"message_stop"}\n\n'],
    ['a frame that is a list', 'data: []\n\n'],
    ['arguments of a call that did not start', `data: ${JSON.stringify(args(4, '{}'))}\n\n`],
    [
      'text in a call',
      `data: ${JSON.stringify(startBlock(0, { type: 'tool_use', id: 't', name: 'f' }))}\n\ndata: ${JSON.stringify(text(0, 'x'))}\n\n`,
    ],
    [
      'a second message',
      [begin('a'), text(0, 'x'), begin('b')].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
    ],
  ])('is malformed with %s', async (_what, stream) => {
    expect((await decodeStream(Buffer.from(stream))).error?.code).toBe('malformed')
  })

  it('skips events and pieces that it does not know, and a null error', async () => {
    const { response, error } = await decodeEvents(
      begin(),
      { type: 'weather', wind: 3, error: null },
      text(0, 'Hi'),
      piece(0, { type: 'sparkle_delta' }),
      ...finish('end_turn'),
      { type: 'error', error: { type: 'late' } },
    )

    expect(error).toBeUndefined()
    expect(response.message.blocks).toEqual([{ type: 'text', text: 'Hi' }])
  })

  it('never fails for a count that makes no sense', async () => {
    const counts = { input_tokens: -1, output_tokens: 1e300, cache_read_input_tokens: 'x', output_tokens_details: null }

    const { response, error } = await decodeEvents(begin(), ...finish('end_turn', counts))

    expect(error).toBeUndefined()
    expect(response.message.usage).toEqual({ inputTokens: 4, outputTokens: 1 })
  })

  it('ends arguments nested deeper than anyone could write them out', async () => {
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const start = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":${deep}}}`
    const frames = [JSON.stringify(begin()), start, ...finish('tool_use').map((event) => JSON.stringify(event))]

    const { response, error } = await decodeStream(Buffer.from(frames.map((frame) => `data: ${frame}\n\n`).join('')))

    expect(error).toBeUndefined()
    expect(response.message.blocks).toEqual([{ type: 'tool_use', id: 't', name: 'f', input: {} }])
  })
})
