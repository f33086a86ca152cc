import { type Block, blockSchema, blocksSchema, maxBlocks, maxJsonDepth, textBlock } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryBlock } from '../support/arbitrary-blocks.ts'

/** One block of each kind with every field; a new kind fails to compile here. */
const wholeBlocks: Record<Block['type'], Block> = {
  text: { type: 'text', text: 'hello' },
  refusal: { type: 'refusal', text: '' },
  thinking: {
    type: 'thinking',
    text: 'step',
    seal: { format: 'anthropic', signature: 'c2ln' },
    state: { format: 'gemini', data: { part: [1, null, 'x'] } },
  },
  tool_use: {
    type: 'tool_use',
    id: 'call_1',
    name: 'ReadFile',
    input: { path: 'a.txt', lines: [1, 2] },
    state: { format: 'gemini', data: 'AB==' },
  },
  tool_result: {
    type: 'tool_result',
    toolUseId: 'call_1',
    content: [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }],
    isError: true,
  },
  image: { type: 'image', mediaType: 'image/png', url: 'https://example.org/a.png', name: 'a.png' },
}

function stored(block: unknown): unknown {
  return JSON.parse(JSON.stringify(block))
}

describe('blockSchema', () => {
  it.each(Object.keys(wholeBlocks))('reads a stored %s block with every field as it was', (type) => {
    const block = wholeBlocks[type as Block['type']] // proved: one of its own keys

    const read = blockSchema.parse(stored(block))

    expect(read).toEqual(block)
  })

  it('reads any stored block as it was', () => {
    fc.assert(
      fc.property(arbitraryBlock, (block) => {
        const json = JSON.stringify(block)

        expect(JSON.stringify(blockSchema.parse(JSON.parse(json)))).toBe(json)
      }),
    )
  })

  it('keeps a member that it does not know', () => {
    const read = blockSchema.parse({ type: 'text', text: 'a', citations: [{ from: 1 }] })

    expect(read).toEqual({ type: 'text', text: 'a', citations: [{ from: 1 }] })
  })

  it('keeps an argument named __proto__ and does not let it change the prototype', () => {
    const json = '{"type":"tool_use","id":"1","name":"f","input":{"__proto__":{"admin":true}}}'

    const read = blockSchema.parse(JSON.parse(json))

    expect(JSON.stringify(read)).toBe(json)
    expect((read as { admin?: unknown }).admin).toBeUndefined()
  })

  it.each([
    ['an unknown type', { type: 'hologram', text: 'a' }],
    ['no type', { text: 'a' }],
    ['an optional field that is undefined', { type: 'image', mediaType: 'image/png', data: undefined }],
    ['an input that is a list', { type: 'tool_use', id: '1', name: 'f', input: [] }],
    ['an input with something that is not JSON', { type: 'tool_use', id: '1', name: 'f', input: { at: new Date(0) } }],
    ['a seal without a signature', { type: 'thinking', text: '', seal: { format: 'anthropic' } }],
    ['null', null],
  ])('refuses %s', (_what, value) => {
    expect(blockSchema.safeParse(value).success).toBe(false)
  })

  it('refuses an input that is nested deeper than JSON can be written', () => {
    const depth = maxJsonDepth * 40
    const input: unknown = JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)

    const read = blockSchema.safeParse({ type: 'tool_use', id: '1', name: 'f', input })

    expect(read.success).toBe(false)
  })
})

describe('blocksSchema', () => {
  it('takes as many blocks as a message may hold and refuses one more', () => {
    const blocks = Array.from({ length: maxBlocks }, () => textBlock('x'))

    expect(blocksSchema.safeParse(blocks).success).toBe(true)
    expect(blocksSchema.safeParse([...blocks, textBlock('x')]).success).toBe(false)
  })
})
