import { Accumulator, type Block, ContentError, type StreamEvent } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryResponseBlock } from '../support/arbitrary-blocks.ts'

/** The events of one block, its text cut into pieces of `size` UTF-16 units, surrogate pairs too. */
function eventsOf(block: Block, blockIndex: number, size: number): StreamEvent[] {
  const events: StreamEvent[] = []
  const cut = (text: string): string[] =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size))
  if (block.type === 'text' || block.type === 'refusal') {
    events.push({ type: 'block_start', blockIndex, block: { type: block.type } })
    for (const text of cut(block.text)) events.push({ type: 'text_delta', blockIndex, text })
  } else if (block.type === 'thinking') {
    events.push({ type: 'block_start', blockIndex, block: { type: 'thinking' } })
    for (const text of cut(block.text)) events.push({ type: 'thinking_delta', blockIndex, text })
    if (block.seal !== undefined) events.push({ type: 'block_state', blockIndex, seal: block.seal })
    if (block.state !== undefined) events.push({ type: 'block_state', blockIndex, state: block.state })
  } else if (block.type === 'tool_use') {
    events.push({ type: 'block_start', blockIndex, block: { type: 'tool_use', id: block.id, name: block.name } })
    for (const text of cut(JSON.stringify(block.input))) events.push({ type: 'tool_input_delta', blockIndex, text })
    if (block.state !== undefined) events.push({ type: 'block_state', blockIndex, state: block.state })
  }
  events.push({ type: 'block_end', blockIndex })
  return events
}

/** Merges the lists in an order that `picks` decides, keeping the order within each. */
function interleave(lists: StreamEvent[][], picks: readonly number[]): StreamEvent[] {
  const left = lists.map((list) => [...list])
  const merged: StreamEvent[] = []
  for (let turn = 0; left.some((list) => list.length > 0); turn += 1) {
    const open = left.filter((list) => list.length > 0)
    const event = open[(picks[turn % Math.max(1, picks.length)] ?? 0) % open.length]?.shift()
    if (event !== undefined) merged.push(event)
  }
  return merged
}

const uniqueIds = (blocks: readonly Block[]): readonly Block[] =>
  blocks.map((block, index) => (block.type === 'tool_use' ? { ...block, id: `${block.id}#${index}` } : block))

const response = fc.array(arbitraryResponseBlock, { maxLength: 6 })
const steps = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 6, maxLength: 6 })

describe('Accumulator', () => {
  it('rebuilds any blocks from any cut and any interleaving of their events, with any ascending indexes', () => {
    fc.assert(
      fc.property(
        response,
        steps,
        fc.array(fc.nat(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (raw, gaps, picks, size) => {
          const blocks = uniqueIds(raw)
          const indexes = blocks.map((_, index) => gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, -2_000_000))
          const lists = blocks.map((block, index) => eventsOf(block, indexes[index] ?? 0, size))
          const accumulator = new Accumulator()

          for (const event of interleave(lists, picks)) accumulator.add(event)

          expect(accumulator.result().message.blocks).toEqual(blocks)
        },
      ),
    )
  })

  it('gives every call an id of its own, whatever ids the provider chose', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'x', 'x-2', 'x-2-2', 'call', 'call-2')), (ids) => {
        const accumulator = new Accumulator()

        for (const [blockIndex, id] of ids.entries()) {
          accumulator.add({ type: 'block_start', blockIndex, block: { type: 'tool_use', id, name: 'f' } })
        }

        const made = accumulator.result().toolCalls.map((call) => call.toolUseId)
        expect(new Set(made).size).toBe(ids.length)
      }),
    )
  })

  it('refuses a wrong order of events with its own error and never with another', () => {
    const index = fc.nat({ max: 2 })
    const event = fc.oneof<fc.Arbitrary<StreamEvent>[]>(
      fc.tuple(index, fc.constantFrom('text', 'refusal', 'thinking')).map(([blockIndex, type]) => ({
        type: 'block_start',
        blockIndex,
        block: { type: type as 'text' }, // proved: one of three kinds of equal shape
      })),
      fc
        .tuple(index, fc.constantFrom('text_delta', 'thinking_delta', 'tool_input_delta'))
        .map(([blockIndex, type]) => ({
          type: type as 'text_delta', // proved: one of three deltas of equal shape
          blockIndex,
          text: 'x',
        })),
      index.map((blockIndex) => ({ type: 'block_state', blockIndex, seal: { format: 'f', signature: 's' } })),
      fc.constant({ type: 'finish', reason: 'stop' }),
    )
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const accumulator = new Accumulator()
        try {
          for (const next of events) accumulator.add(next)
        } catch (error) {
          expect(error).toBeInstanceOf(ContentError)
        }

        expect(() => accumulator.result()).not.toThrow()
      }),
    )
  })
})
