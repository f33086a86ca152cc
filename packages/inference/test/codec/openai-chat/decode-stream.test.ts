import { describe, expect, it } from 'vitest'
import { fixtureText, foldText, type Outcome } from '../../support/chat-fixtures.ts'

const decode = (name: string): Outcome => foldText(fixtureText(`${name}.sse`))

/** The id of a call to which the server gave none. */
const minted: unknown = expect.stringMatching(/^call_[\da-f]{24}$/)

function callsOf({ response }: Outcome): (readonly [string, string, string])[] {
  return response.toolCalls.map(({ toolUseId, name, argsJson }) => [toolUseId, name, argsJson])
}

describe('ChatStreamDecoder', () => {
  it('folds text, and usage that comes after the finish reason', () => {
    const { response } = decode('text')

    expect(response).toEqual({
      message: {
        role: 'assistant',
        blocks: [{ type: 'text', text: 'Grüße 👋🏽, 東京 и Киев' }],
        usage: { inputTokens: 12, outputTokens: 9, cacheReadTokens: 8, reasoningTokens: 4 },
        model: 'lark-2-mini',
      },
      toolCalls: [],
      finish: { reason: 'stop', rawReason: 'stop' },
    })
  })

  it('gives thinking, text and interleaved calls blocks of their own, in order of appearance', () => {
    const { response } = decode('reasoning-text-tools')

    expect(response.message.blocks).toEqual([
      { type: 'thinking', text: 'Two reads will do.' },
      { type: 'text', text: 'Reading both.' },
      { type: 'tool_use', id: 'call_a', name: 'ReadFile', input: { path: 'a.txt' } },
      { type: 'tool_use', id: 'call_b', name: 'ReadFile', input: { path: 'b.txt' } },
    ])
    expect(response.finish?.reason).toBe('tool_use')
  })

  it('takes a new id on an index that is in use as a new call', () => {
    expect(callsOf(decode('index-reused'))).toEqual([
      ['call_a', 'add', '{"n":1}'],
      ['call_b', 'add', '{"n":2}'],
      ['call_c', 'add', '{"n":3}'],
    ])
  })

  it('takes a name on an index whose call is complete as a new call where ids are never sent', () => {
    expect(callsOf(decode('no-id-index-reused'))).toEqual([
      [minted, 'add', '{"n":1}'],
      [minted, 'add', '{"n":2}'],
    ])
  })

  it('keeps calls apart that carry no index, and joins fragments that carry nothing but arguments', () => {
    expect(callsOf(decode('no-index'))).toEqual([
      ['call_a', 'add', '{"n":1}'],
      ['call_b', 'add', '{"n":2}'],
      [minted, 'now', '{}'],
      [minted, 'now', '{}'],
    ])
  })

  it('waits for an id or name that comes late and drops entries with nothing in them', () => {
    expect(callsOf(decode('late-identity'))).toEqual([
      ['call_a', 'add', '{"n":1}'],
      [minted, 'now', '{}'],
    ])
  })

  it('reads empty, blank, null and absent arguments as none', () => {
    const { response } = decode('no-arguments')

    const inputs = response.message.blocks.map((block) => (block.type === 'tool_use' ? block.input : block))
    expect(inputs).toEqual([{}, {}, {}, {}])
  })

  it('takes arguments that come as an object', () => {
    expect(callsOf(decode('arguments-as-object'))).toEqual([['call_a', 'add', '{"n":1,"deep":{"x":[true]}}']])
  })

  it('does not take an argument object nested deeper than anyone could write it out', () => {
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`

    const { response, error } = foldText(
      `data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":${deep}}}]}}]}\n\ndata: [DONE]\n\n`,
    )

    expect(error).toBeUndefined()
    expect(response.message.blocks).toEqual([{ type: 'tool_use', id: 'a', name: 'f', input: {} }])
    expect(response.toolCalls[0]?.argsJson).toBe('"arguments nested too deep"')
  })

  it('refuses calls without end, also those that never say what they call', () => {
    const calls = Array.from({ length: 10_001 }, (_, index) => ({ index, id: `c${index}` }))

    expect(foldText(`data: ${JSON.stringify({ choices: [{ delta: { tool_calls: calls } }] })}\n\n`).error).toBe(
      'response_too_large',
    )
  })

  it('begins a new text block after a call', () => {
    const { response } = decode('text-after-tool')

    expect(response.message.blocks).toEqual([
      { type: 'text', text: 'First this.' },
      { type: 'tool_use', id: 'call_a', name: 'now', input: {} },
      { type: 'text', text: 'Then that.' },
    ])
  })

  it('takes all members of one delta', () => {
    const { response } = decode('several-members')

    expect(response.message.blocks.map((block) => block.type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use'])
    expect(response.message.usage).toEqual({ inputTokens: 5, outputTokens: 3 })
  })

  it('ends with the stream where a finish reason came and no [DONE]', () => {
    const { response } = decode('no-done')

    expect(response.finish).toEqual({ reason: 'stop', rawReason: 'stop' })
    expect(response.message.usage?.outputTokens).toBe(9)
  })

  it('does not take an empty finish reason for a clean stop', () => {
    expect(decode('no-reason').response.finish).toEqual({ reason: 'unknown' })
  })

  it('reports tool_use when calls came without a finish reason', () => {
    const outcome = decode('no-reason-tools')

    expect(outcome.response.finish).toEqual({ reason: 'tool_use' })
    expect(callsOf(outcome)).toEqual([['0', 'now', '{}']])
  })

  it('reads content that is a list of thinking and text parts, and skips parts that it does not know', () => {
    const { response } = decode('content-parts')

    expect(response.message.blocks).toEqual([
      { type: 'thinking', text: '12 times 12.' },
      { type: 'text', text: '144' },
    ])
  })

  it('keeps a refusal apart from text', () => {
    expect(decode('refusal').response.message.blocks).toEqual([{ type: 'refusal', text: "I can't help." }])
  })

  it('keeps an empty refusal when it is all there is', () => {
    expect(decode('empty-refusal').response.message.blocks).toEqual([{ type: 'refusal', text: '' }])
  })

  it('ignores an empty refusal beside an answer', () => {
    const outcome = foldText(
      'data: {"choices":[{"delta":{"refusal":"","content":"Yes"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    )

    expect(outcome.response.message.blocks).toEqual([{ type: 'text', text: 'Yes' }])
  })

  it('lets later usage win field by field and ignores counts that are none', () => {
    expect(decode('usage-on-every-chunk').response.message.usage).toEqual({ inputTokens: 10, outputTokens: 2 })
  })

  it('reads the first choice only', () => {
    const { response } = decode('other-choices')

    expect(response.message.blocks).toEqual([{ type: 'text', text: 'yes!' }])
    expect(response.finish?.reason).toBe('stop')
  })

  it('reads every form of the stream syntax and nothing after [DONE]', () => {
    const { response, error } = decode('stream-syntax')

    expect(error).toBeUndefined()
    expect(response.message.blocks).toEqual([{ type: 'text', text: 'no space, multi line' }])
  })

  it('delivers what came before an error frame, then fails by what the frame says', () => {
    const { response, error } = decode('error-after-text')

    expect(error).toBe('overloaded')
    expect(response.message.blocks).toEqual([{ type: 'text', text: 'Half' }])
    expect(response.finish).toBeUndefined()
  })

  it('takes the numeric code of an error frame as its status', () => {
    expect(decode('error-first').error).toBe('server_error')
  })

  it.each(['data: {"choices":\n\n', 'data: 7\n\n', 'data: []\n\n'])('refuses the frame %j', (frame) => {
    expect(foldText(frame).error).toBe('malformed')
  })

  it('does not take a null error member for an error', () => {
    const { error, response } = foldText(
      'data: {"error":null,"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n',
    )

    expect(error).toBeUndefined()
    expect(response.message.blocks).toEqual([{ type: 'text', text: 'a' }])
  })

  it('fails as overloaded when the provider broke off for lack of resources', () => {
    const frame = '{"choices":[{"delta":{"content":"a"},"finish_reason":"insufficient_system_resource"}]}'

    expect(foldText(`data: ${frame}\n\ndata: [DONE]\n\n`).error).toBe('overloaded')
  })

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'content_filter'],
    ['function_call', 'tool_use'],
    ['solar_flare', 'unknown'],
  ])('maps the finish reason %s to %s and keeps the word', (rawReason, reason) => {
    const { response } = foldText(`data: {"choices":[{"delta":{},"finish_reason":"${rawReason}"}]}\n\n`)

    expect(response.finish).toEqual({ reason, rawReason })
  })

  it('keeps length as the reason when a call was cut off', () => {
    const { response } = foldText(
      'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"w","arguments":"{\\"p"}}]},"finish_reason":"length"}]}\n\n',
    )

    expect(response.finish?.reason).toBe('length')
    expect(response.toolCalls[0]?.argsJson).toBe('{"p')
  })
})
