import {
  type Block,
  blockSchema,
  blocksSchema,
  maxBlocks,
  maxJsonDepth,
  maxResultNesting,
  textBlock,
} from '@looprig/core'
import { wholeBlocks } from '@looprig/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraries } from '../support/arbitraries.ts'

function stored(block: unknown): unknown {
  return JSON.parse(JSON.stringify(block))
}

function nestedResult(depth: number): Block {
  let block: Block = textBlock('deep')
  for (let level = 0; level < depth; level += 1) {
    block = { type: 'tool_result', toolUseId: 'x', isError: false, content: [block] }
  }
  return block
}

describe('blockSchema', () => {
  it.each(Object.values(wholeBlocks))('reads a stored $type block with every field as it was', (block) => {
    const read = blockSchema.parse(stored(block))

    expect(read).toEqual(block)
  })

  it('reads any stored block as it was, and writes it out as it was', () => {
    fc.assert(
      fc.property(arbitraries.block, (block) => {
        const json = JSON.stringify(block)

        expect(JSON.stringify(blockSchema.parse(JSON.parse(json)))).toBe(json)
      }),
    )
  })

  it('never reads text as a refusal or the other way', () => {
    const text = blockSchema.parse(stored({ type: 'text', text: 'no' }))
    const refusal = blockSchema.parse(stored({ type: 'refusal', text: 'no' }))

    expect([text.type, refusal.type]).toEqual(['text', 'refusal'])
  })

  it.each(Object.values(wholeBlocks))('keeps a member of a $type block that it does not know', (block) => {
    const read = blockSchema.parse({ ...block, citations: [{ from: 1 }] })

    expect(read).toEqual({ ...block, citations: [{ from: 1 }] })
  })

  it('keeps an argument named __proto__ and does not let it change the prototype', () => {
    const json = '{"type":"tool_use","id":"1","name":"f","input":{"__proto__":{"admin":true}}}'

    const read = blockSchema.parse(JSON.parse(json))

    expect(JSON.stringify(read)).toBe(json)
    expect((read as { admin?: unknown }).admin).toBeUndefined()
  })

  it('keeps half of a surrogate pair as it is', () => {
    const block = { type: 'text', text: 'cut \ud83d' }

    expect(blockSchema.parse(stored(block))).toEqual(block)
  })

  it.each([
    ['an unknown type', { type: 'hologram', text: 'a' }],
    ['no type', { text: 'a' }],
    ['an optional field that is undefined', { type: 'image', mediaType: 'image/png', data: undefined }],
    ['an input that is a list', { type: 'tool_use', id: '1', name: 'f', input: [] }],
    ['an input with something that is not JSON', { type: 'tool_use', id: '1', name: 'f', input: { at: new Date(0) } }],
    ['a seal without a signature', { type: 'thinking', text: '', seal: { format: 'anthropic' } }],
    ['a state without a format', { type: 'text', text: '', state: { data: 1 } }],
    ['audio without a media type', { type: 'audio', data: 'aGk=' }],
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

  it('takes results in results up to a depth, and refuses deeper ones without running out of stack', () => {
    expect(blockSchema.safeParse(nestedResult(maxResultNesting)).success).toBe(true)
    expect(blockSchema.safeParse(nestedResult(maxResultNesting + 2)).success).toBe(false)
    expect(blockSchema.safeParse(nestedResult(50_000)).success).toBe(false)
  })
})

describe('blocksSchema', () => {
  it('takes as many blocks as a message may hold and refuses one more', () => {
    const blocks = Array.from({ length: maxBlocks }, () => textBlock('x'))

    expect(blocksSchema.safeParse(blocks).success).toBe(true)
    expect(blocksSchema.safeParse([...blocks, textBlock('x')]).success).toBe(false)
  })
})
