import { Accumulator, ContentError, parseToolInput, type StreamEvent } from '@looprig/core'
import { wholeBlocks } from '@looprig/core/testing'
import { describe, expect, it } from 'vitest'

function fold(...events: StreamEvent[]): Accumulator {
  const accumulator = new Accumulator()
  for (const event of events) accumulator.add(event)
  return accumulator
}

const start = (blockIndex: number, type: 'text' | 'refusal' | 'thinking'): StreamEvent => ({
  type: 'block_start',
  blockIndex,
  block: { type },
})
const call = (blockIndex: number, id: string, name = 'f'): StreamEvent => ({
  type: 'block_start',
  blockIndex,
  block: { type: 'tool_use', id, name },
})
const text = (blockIndex: number, piece: string): StreamEvent => ({ type: 'text_delta', blockIndex, text: piece })
const input = (blockIndex: number, piece: string): StreamEvent => ({
  type: 'tool_input_delta',
  blockIndex,
  text: piece,
})
const finish: StreamEvent = { type: 'finish', reason: 'stop' }

function codeOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof ContentError) return error.code
    throw error
  }
  return 'none'
}

describe('Accumulator', () => {
  it('orders blocks by index, whatever the order of their start, without filling gaps', () => {
    const { message } = fold(start(999_999_999, 'text'), start(-3, 'thinking'), start(7, 'refusal'), finish).result()

    expect(message.blocks.map((block) => block.type)).toEqual(['thinking', 'refusal', 'text'])
  })

  it('keeps text, tool, text apart', () => {
    const { message } = fold(
      start(0, 'text'),
      text(0, 'a'),
      call(1, 'x'),
      start(2, 'text'),
      text(2, 'b'),
      input(1, '{"n":1}'),
    ).result()

    expect(message.blocks).toEqual([
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'x', name: 'f', input: { n: 1 } },
      { type: 'text', text: 'b' },
    ])
  })

  it('gives a call without any arguments an empty object', () => {
    const { message, toolCalls } = fold(call(0, 'x'), finish).result()

    expect(message.blocks).toEqual([{ type: 'tool_use', id: 'x', name: 'f', input: {} }])
    expect(toolCalls).toEqual([{ toolUseId: 'x', name: 'f', argsJson: '' }])
  })

  it('keeps the raw text of arguments that are not JSON and stores an empty object', () => {
    const { message, toolCalls } = fold(call(0, 'x'), input(0, '{"content":"half'), finish).result()

    expect(message.blocks).toEqual([{ type: 'tool_use', id: 'x', name: 'f', input: {} }])
    expect(toolCalls[0]?.argsJson).toBe('{"content":"half')
  })

  it('makes repeated and missing call ids unique, never taking one that another call has', () => {
    const { toolCalls } = fold(call(0, 'x'), call(1, 'x'), call(2, 'x-2'), call(3, ''), call(4, '')).result()

    expect(toolCalls.map((made) => made.toolUseId)).toEqual(['x', 'x-2', 'x-2-2', 'call', 'call-2'])
  })

  it('stays fast when thousands of calls claim one id', () => {
    const accumulator = new Accumulator()
    for (let index = 0; index < 10_000; index += 1) accumulator.add(call(index, 'same'))

    const { toolCalls } = accumulator.result()

    expect(new Set(toolCalls.map((made) => made.toolUseId)).size).toBe(10_000)
  }, 2_000)

  it('lets the last seal and state of a block count, each with its own format', () => {
    const { message } = fold(
      start(0, 'thinking'),
      { type: 'block_state', blockIndex: 0, seal: { format: 'a', signature: '1' } },
      { type: 'block_state', blockIndex: 0, state: { format: 's', data: 1 } },
      { type: 'block_state', blockIndex: 0, seal: { format: 'b', signature: '2' } },
    ).result()

    expect(message.blocks).toEqual([
      { type: 'thinking', text: '', seal: { format: 'b', signature: '2' }, state: { format: 's', data: 1 } },
    ])
  })

  it('takes an image whole', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const

    const { message } = fold({ type: 'block_start', blockIndex: 0, block: image }).result()

    expect(message.blocks).toEqual([image])
  })

  it.each([wholeBlocks.image, wholeBlocks.audio, wholeBlocks.document])('takes an output $type whole', (block) => {
    const { message } = fold({ type: 'block_start', blockIndex: 3, block }, finish).result()

    expect(message.blocks).toEqual([block])
  })

  it('keeps the state of a text, a refusal, a call and a picture', () => {
    const state = { format: 'gemini', data: 'c2ln' }
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const
    const { message } = fold(
      start(0, 'text'),
      start(1, 'refusal'),
      call(2, 'x'),
      { type: 'block_start', blockIndex: 3, block: image },
      ...[0, 1, 2, 3].map((blockIndex): StreamEvent => ({ type: 'block_state', blockIndex, state })),
    ).result()

    expect(message.blocks).toEqual([
      { type: 'text', text: '', state },
      { type: 'refusal', text: '', state },
      { type: 'tool_use', id: 'x', name: 'f', input: {}, state },
      { ...image, state },
    ])
    expect(image).not.toHaveProperty('state')
  })

  it('keeps redacted thinking, which has a state and no text', () => {
    const state = { format: 'anthropic-redacted-thinking', data: 'b3BhcXVl' }

    const { message } = fold(start(0, 'thinking'), { type: 'block_state', blockIndex: 0, state }, finish).result()

    expect(message.blocks).toEqual([{ type: 'thinking', text: '', state }])
  })

  it('keeps an empty refusal', () => {
    const { message } = fold(start(0, 'refusal'), finish).result()

    expect(message.blocks).toEqual([{ type: 'refusal', text: '' }])
  })

  it('has no finish before the end marker came', () => {
    const { finish: end } = fold(start(0, 'text'), text(0, 'a')).result()

    expect(end).toBeUndefined()
  })

  it('takes usage, model and both reasons from finish', () => {
    const { message, finish: end } = fold({
      type: 'finish',
      reason: 'length',
      rawReason: 'model_length',
      usage: { inputTokens: 1 },
      model: 'm',
    }).result()

    expect(end).toEqual({ reason: 'length', rawReason: 'model_length' })
    expect(message).toEqual({ role: 'assistant', blocks: [], usage: { inputTokens: 1 }, model: 'm' })
  })

  it('takes a count that makes no sense as not reported', () => {
    const usage = { inputTokens: Number.NaN, outputTokens: -4, cacheReadTokens: 1e300, reasoningTokens: 2 }

    const { message } = fold({ type: 'finish', reason: 'stop', usage }).result()

    expect(message.usage).toEqual({ reasoningTokens: 2 })
  })

  it('returns a result that later events do not change', () => {
    const accumulator = fold(start(0, 'text'), text(0, 'a'))
    const before = accumulator.result()

    accumulator.add(text(0, 'b'))

    expect(before.message.blocks).toEqual([{ type: 'text', text: 'a' }])
  })

  it.each<[string, StreamEvent[]]>([
    ['a delta of a block that did not start', [text(0, 'a')]],
    ['a text delta of a thinking block', [start(0, 'thinking'), text(0, 'a')]],
    ['an input delta of a text block', [start(0, 'text'), input(0, '{}')]],
    ['a second start', [start(0, 'text'), start(0, 'text')]],
    ['state of a block that did not start', [{ type: 'block_state', blockIndex: 0, state: { format: 'x', data: 1 } }]],
    [
      'a seal of a text',
      [start(0, 'text'), { type: 'block_state', blockIndex: 0, seal: { format: 'x', signature: 's' } }],
    ],
    ['a delta of a picture', [{ type: 'block_start', blockIndex: 0, block: wholeBlocks.image }, text(0, 'a')]],
    ['an event after finish', [finish, start(0, 'text')]],
    ['a second finish', [finish, finish]],
  ])('refuses %s', (_what, events) => {
    expect(codeOf(() => fold(...events))).toBe('stream_invalid')
  })

  it('refuses more text than its cap, over all blocks together', () => {
    const accumulator = new Accumulator({ maxCharacters: 10 })
    accumulator.add(start(0, 'text'))
    accumulator.add(text(0, '12345'))
    accumulator.add(call(1, 'x'))

    const code = codeOf(() => accumulator.add(input(1, '67890')))

    expect(code).toBe('content_too_large')
  })

  it.each<[string, StreamEvent]>([
    ['a seal', { type: 'block_state', blockIndex: 0, seal: { format: 'x', signature: 's'.repeat(20) } }],
    ['a state', { type: 'block_state', blockIndex: 0, state: { format: 'x', data: ['s'.repeat(20)] } }],
    [
      'media',
      { type: 'block_start', blockIndex: 1, block: { type: 'audio', mediaType: 'audio/wav', data: 'A'.repeat(80) } },
    ],
    [
      'the text of a file',
      { type: 'block_start', blockIndex: 1, block: { ...wholeBlocks.document, text: 'x'.repeat(20) } },
    ],
  ])('counts %s', (_what, event) => {
    const accumulator = new Accumulator({ maxCharacters: 20 })
    accumulator.add(start(0, 'thinking'))

    expect(codeOf(() => accumulator.add(event))).toBe('content_too_large')
  })

  it('counts the last state of a block and not those before it, which a provider sends as they grow', () => {
    const accumulator = new Accumulator({ maxCharacters: 100 })
    accumulator.add(start(0, 'thinking'))

    for (let length = 1; length <= 50; length += 1) {
      accumulator.add({ type: 'block_state', blockIndex: 0, state: { format: 'x', data: 's'.repeat(length) } })
    }

    expect(codeOf(() => accumulator.add(text(0, 'x')))).toBe('stream_invalid')
    expect(accumulator.result().message.blocks).toHaveLength(1)
  })

  it('refuses state that nobody could write out', () => {
    const data = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    const accumulator = fold(start(0, 'thinking'))

    expect(codeOf(() => accumulator.add({ type: 'block_state', blockIndex: 0, state: { format: 'x', data } }))).toBe(
      'content_invalid',
    )
  })

  it('does not hand out a block as whole that nobody could read back', () => {
    const accumulator = fold(start(0, 'text'), start(1, 'text'), text(1, '\u0001'.repeat(2 * 1024 * 1024)))

    expect(() => accumulator.add(finish)).toThrow(
      expect.objectContaining({ code: 'content_too_large', field: 'blocks[1]' }),
    )
    expect(accumulator.isFinished).toBe(false)
  })

  it('refuses more blocks than a message may hold', () => {
    const accumulator = new Accumulator()
    for (let index = 0; index < 10_000; index += 1) accumulator.add(start(index, 'text'))

    expect(codeOf(() => accumulator.add(start(10_000, 'text')))).toBe('content_too_large')
  })
})

describe('parseToolInput', () => {
  it.each(['', '   ', '\n\t'])('reads blank text %j as no arguments', (blank) => {
    expect(parseToolInput(blank)).toEqual({})
  })

  it('reads an object', () => {
    expect(parseToolInput(' {"a":[1]} ')).toEqual({ a: [1] })
  })

  it.each(['null', '[]', '"text"', '3', '{"a":1', '{}{}', '{"a":1e999}'])('does not take %j', (json) => {
    expect(parseToolInput(json)).toBeUndefined()
  })

  it('does not take arguments nested so deep that nobody could store them', () => {
    const json = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`

    expect(parseToolInput(json)).toBeUndefined()
  })
})
