import type { Block } from '@looprig/core'
import type { DecodedRecording } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { chunk, decodeFixture, decodeStream, decodeWhole, fixtureNames, fixtureText, sse } from './gemini.ts'

const format = 'gemini'

const blocksOf = ({ response }: DecodedRecording): readonly Block[] => response.message.blocks

const callsOf = ({ response }: DecodedRecording): unknown[] =>
  response.toolCalls.map(({ toolUseId, name, argsJson }) => [toolUseId, name, argsJson])

/** The chunks of a stream as the list that they are without server-sent events. */
const listOf = (name: string): string =>
  `[${fixtureText(`${name}.sse`)
    .split('\n\n')
    .filter((line) => line !== '')
    .map((line) => line.slice('data: '.length))
    .join('\n,\r\n')}]\n`

describe('the Gemini codec', () => {
  it.each(fixtureNames)('decodes %s to the same message, streamed, as a list and whole', async (name) => {
    const streamed = await decodeFixture(name)

    expect(streamed.error).toBeUndefined()
    expect(streamed.response.finish).toBeDefined()
    expect((await decodeWhole(listOf(name))).response).toEqual(streamed.response)
    expect((await decodeWhole(fixtureText(`${name}.json`))).response).toEqual(streamed.response)
  })

  it('keeps thoughts, text and a signature that stands alone in order', async () => {
    const { response } = await decodeFixture('thoughts-text')

    expect(response).toEqual({
      message: {
        role: 'assistant',
        blocks: [
          { type: 'thinking', text: '**Plan**\nSay hello. 📖' },
          { type: 'text', text: 'Grüße 👋🏽, 東京.' },
          { type: 'thinking', text: '', state: { format, data: { emptyText: true, thoughtSignature: 'U0lHLTE=' } } },
        ],
        usage: { inputTokens: 16, cacheReadTokens: 24, outputTokens: 30, reasoningTokens: 12 },
        model: 'lark-3-pro',
      },
      toolCalls: [],
      finish: { reason: 'stop', rawReason: 'STOP' },
    })
  })

  it('gives calls ids that no other response has, and keeps the signature on the first', async () => {
    const decoded = await decodeFixture('parallel-calls')

    expect(blocksOf(decoded)).toEqual([
      { type: 'text', text: 'Reading.' },
      {
        type: 'tool_use',
        id: 'call_resp-F1_x_0',
        name: 'ReadFile',
        input: { path: 'a.txt' },
        state: { format, data: { thoughtSignature: 'U0lHLUE=' } },
      },
      { type: 'tool_use', id: 'call_resp-F1_x_1', name: 'ReadFile', input: { path: 'b.txt' } },
      { type: 'tool_use', id: 'call_resp-F1_x_2', name: 'Now', input: {} },
    ])
    expect(decoded.response.finish).toEqual({ reason: 'tool_use', rawReason: 'STOP' })
  })

  it('mints the ids of a response that has none itself, and shortens one that no other protocol would take', async () => {
    const calls = chunk([{ functionCall: { name: 'Now' } }, { functionCall: { name: 'Now' } }], 'STOP')

    const minted = await decodeWhole(calls)
    const strange = await decodeWhole({ ...calls, responseId: 'a/ü'.repeat(30) })

    expect(callsOf(minted).map((call) => (call as string[])[0])).toEqual(['call_minted_0', 'call_minted_1'])
    expect(strange.response.toolCalls[0]?.toolUseId).toMatch(/^call_[\w-]{24}_0$/)
  })

  it('takes the ids that the provider gives, and remembers that they are its own', async () => {
    expect(blocksOf(await decodeFixture('calls-with-ids'))).toMatchObject([
      { id: 'wire-1', state: { data: { thoughtSignature: 'U0lHLUI=', id: 'wire-1' } } },
      { id: 'wire-2', state: { data: { id: 'wire-2' } } },
    ])
  })

  it('joins texts, but never one that is signed with another', async () => {
    const signed = (thoughtSignature: string) => ({ state: { format, data: { thoughtSignature } } })

    expect(blocksOf(await decodeFixture('signed-parts'))).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo', ...signed('U0lHLUM=') },
      { type: 'text', text: '!' },
      { type: 'thinking', text: 'Why', ...signed('U0lHLUQ=') },
      { type: 'thinking', text: 'Because' },
    ])
  })

  it('puts arguments together that come value by value', async () => {
    expect(callsOf(await decodeFixture('partial-args'))).toEqual([
      ['call_resp-F1_x_0', 'Theme', ''],
      ['call_resp-F1_x_1', 'Plan', '{"city":"Boston","days":[{"n":1.5,"ok":true},{"the note":null}]}'],
      ['call_resp-F1_x_2', 'Theme', '{"id":"B"}'],
    ])
  })

  it.each([
    ['a path that is none', { jsonPath: 'city', stringValue: 'x' }],
    ['a path with a wildcard', { jsonPath: '$.*', stringValue: 'x' }],
    ['a list with a hole', { jsonPath: '$.list[999999]', stringValue: 'x' }],
    ['a step into a text', { jsonPath: '$.text.more', stringValue: 'x' }],
    ['a path that never ends', { jsonPath: `$${'.a'.repeat(100)}`, stringValue: 'x' }],
    ['no value', { jsonPath: '$.a' }],
    ['no path', { stringValue: 'x' }],
  ])('never lets %s pass for arguments', async (_what, value) => {
    const begin = {
      functionCall: { name: 'Plan', willContinue: true, partialArgs: [{ jsonPath: '$.text', stringValue: 't' }] },
    }
    const parts = [begin, { functionCall: { partialArgs: [value] } }]

    const { response } = await decodeStream(sse(chunk(parts, 'STOP')))

    expect(response.toolCalls[0]?.argsJson).toBe('"arguments that could not be put together"')
    expect(response.message.blocks).toMatchObject([{ input: {} }])
  })

  it('lets no name reach the prototype of anything', async () => {
    const value = { jsonPath: '$.__proto__.polluted', boolValue: true }
    const { response } = await decodeStream(
      sse(chunk([{ functionCall: { name: 'Plan', partialArgs: [value] } }], 'STOP')),
    )

    expect(response.toolCalls[0]?.argsJson).toBe('{"__proto__":{"polluted":true}}')
    expect({}).not.toHaveProperty('polluted')
  })

  it('never lets half of the arguments pass for all of them where the rest did not come', async () => {
    const partialArgs = [{ jsonPath: '$.path', stringValue: '/' }]
    const call = { functionCall: { name: 'Delete', partialArgs, willContinue: true } }

    const cut = await decodeStream(sse(chunk([call], 'MAX_TOKENS')))
    const next = await decodeStream(sse(chunk([call, { functionCall: { name: 'Now' } }], 'STOP')))

    for (const { response } of [cut, next]) {
      expect(response.toolCalls[0]?.argsJson).toBe('"arguments that could not be put together"')
      expect(response.message.blocks[0]).toMatchObject({ name: 'Delete', input: {} })
    }
  })

  it('keeps parts that it does not know where they stood, and makes no call of them', async () => {
    const decoded = await decodeFixture('unknown-parts')

    expect(blocksOf(decoded)).toMatchObject([
      { type: 'thinking', text: '', state: { data: { part: { executableCode: { code: 'print(1)' } } } } },
      { type: 'thinking', text: '', state: { data: { part: { codeExecutionResult: { output: '1\n' } } } } },
      { type: 'text', text: 'It is 1.' },
      { type: 'thinking', text: '', state: { data: { part: { thoughtSignature: 'U0lHLUc=' } } } },
    ])
    expect(decoded.response.toolCalls).toEqual([])
  })

  it.each([
    { functionResponse: { name: 'Now', response: {} } },
    { functionCall: 'Now' },
    { text: 5 },
    {},
    'text',
    null,
  ])('keeps nothing that would not be taken back: %j', async (part) => {
    expect(blocksOf(await decodeWhole(JSON.stringify(chunk([part as object], 'STOP'))))).toEqual([])
  })

  it('gives a picture that the model made as a block, with its signature', async () => {
    expect(blocksOf(await decodeFixture('picture'))[1]).toEqual({
      type: 'image',
      mediaType: 'image/png',
      data: 'iVBORw0KGgo=',
      state: { format, data: { thoughtSignature: 'U0lHLUg=' } },
    })
  })

  it.each([
    ['limit-without-content', 'length', 'MAX_TOKENS'],
    ['safety', 'content_filter', 'SAFETY'],
    ['blocked-prompt', 'content_filter', 'prompt:PROHIBITED_CONTENT'],
  ])('says how %s ended', async (name, reason, rawReason) => {
    expect((await decodeFixture(name)).response.finish).toEqual({ reason, rawReason })
  })

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['OTHER', 'unknown'],
    ['SOMETHING_NEW', 'unknown'],
  ])('reads the reason %s as %s', async (rawReason, reason) => {
    expect((await decodeWhole(chunk([{ text: 'Hi' }], rawReason))).response.finish).toEqual({ reason, rawReason })
  })

  it('does not take an unexpected call for a clean step', async () => {
    const { response } = await decodeWhole(chunk([{ functionCall: { name: 'Gone' } }], 'UNEXPECTED_TOOL_CALL'))

    expect(response.finish).toEqual({ reason: 'unknown', rawReason: 'UNEXPECTED_TOOL_CALL' })
  })

  it('does not take a call that nobody can read for an answer', async () => {
    const body = { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed: print(x)' }] }

    const { error, response } = await decodeWhole(body)

    expect(error).toMatchObject({ code: 'malformed', retryable: true, message: expect.stringContaining('print(x)') })
    expect(response.finish).toBeUndefined()
  })

  it('counts usage that comes after the reason, and takes a count that is missing for none', async () => {
    const { response } = await decodeFixture('late-usage')
    const empty = await decodeWhole({ ...chunk([], 'STOP'), usageMetadata: { trafficType: 'ON_DEMAND' } })
    const none = await decodeWhole(chunk([], 'STOP'))

    expect(response.message.usage).toEqual({
      inputTokens: 21,
      cacheReadTokens: 24,
      outputTokens: 30,
      reasoningTokens: 12,
    })
    expect(empty.response.message.usage).toEqual({ inputTokens: 0, outputTokens: 0 })
    expect(none.response.message.usage).toBeUndefined()
  })

  it('does not let counts that make no sense cost the answer', async () => {
    const usageMetadata = {
      promptTokenCount: 5,
      cachedContentTokenCount: 9,
      candidatesTokenCount: 1e300,
      thoughtsTokenCount: null,
    }

    const { response, error } = await decodeWhole({ ...chunk([], 'STOP'), usageMetadata })

    expect(error).toBeUndefined()
    expect(response.message.usage).toEqual({ inputTokens: 0, cacheReadTokens: 5, outputTokens: 0 })
  })

  it('keeps arguments nested too deep from ever being an object', async () => {
    const deep = `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`
    const body = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"Now","args":${deep}}}]},"finishReason":"STOP"}]}`

    expect(callsOf(await decodeWhole(body))).toEqual([['call_minted_0', 'Now', '"arguments nested too deep"']])
  })

  it.each([
    ['text that is not JSON', 'nonsense', 'malformed'],
    ['a number', '1', 'malformed'],
    ['a list of numbers', '[1]', 'malformed'],
    ['an object without a candidate', '{}', 'truncated'],
    ['a candidate without a reason', JSON.stringify(chunk([{ text: 'Half' }])), 'truncated'],
    ['a list that was cut', '[{"candidates":[]},', 'truncated'],
    ['a list that ends before the reason', JSON.stringify([chunk([{ text: 'Half' }])]), 'truncated'],
  ])('fails for %s', async (_what, body, code) => {
    expect((await decodeWhole(body)).error?.code).toBe(code)
  })

  it('delivers what came before a frame that is not JSON, and then fails', async () => {
    const { events, error } = await decodeStream(`${sse(chunk([{ text: 'Half' }]))}data: {"candid\n\n`)

    expect(events).toContainEqual(expect.objectContaining({ type: 'text_delta', text: 'Half' }))
    expect(error?.code).toBe('malformed')
  })
})
