import type { Arbitrary } from 'fast-check'
import type { Block } from '../content/block.ts'
import type { AIMessage } from '../content/message.ts'
import type { StreamEvent } from '../stream/stream-event.ts'
import type { BlockArbitraries } from './block-arbitraries.ts'
import type { FastCheck } from './fast-check.ts'
import { blockEventsOf, finishOf, piecesOf } from './stream-events.ts'
import type { ValueArbitraries } from './value-arbitraries.ts'

/** A response and one of the ways in which it can be streamed. */
export interface StreamedMessage {
  readonly message: AIMessage
  /** They fold to the message: its text cut anywhere, its blocks interleaved, its indexes sparse and perhaps negative. */
  readonly events: readonly StreamEvent[]
}

/** Makes a generator of responses with their events. */
export function streamArbitrary(
  fc: FastCheck,
  values: ValueArbitraries,
  blocks: BlockArbitraries,
): Arbitrary<StreamedMessage> {
  const message = fc
    .record(
      { blocks: fc.array(blocks.responseBlock, { maxLength: 6 }), usage: values.usage, model: fc.constant('m-1') },
      { requiredKeys: ['blocks'] },
    )
    .map((parts): AIMessage => ({ role: 'assistant', ...parts, blocks: withOwnIds(parts.blocks) }))
  const gaps = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 6, maxLength: 6 })
  const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 40 })
  const pieceLength = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(1_000))
  return fc.tuple(message, gaps, picks, pieceLength).map(([made, steps, order, length]) => {
    let index = -2_000_000
    const lists = made.blocks.map((block, position) => {
      index += steps[position] ?? 1
      return blockEventsOf(block, index, (text) => piecesOf(text, length))
    })
    return { message: made, events: [...interleave(lists, order), finishOf(made)] }
  })
}

/** Merges the lists in an order that `picks` decides, keeping the order within each. */
function interleave(lists: readonly (readonly StreamEvent[])[], picks: readonly number[]): StreamEvent[] {
  const left = lists.map((list) => [...list])
  const merged: StreamEvent[] = []
  for (let turn = 0; left.some((list) => list.length > 0); turn += 1) {
    const open = left.filter((list) => list.length > 0)
    const event = open[(picks[turn % picks.length] ?? 0) % open.length]?.shift()
    if (event !== undefined) merged.push(event)
  }
  return merged
}

function withOwnIds(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block, index) => (block.type === 'tool_use' ? { ...block, id: `${block.id}#${index}` } : block))
}
