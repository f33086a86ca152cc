import { Accumulator, aiMessageSchema, ContentError, parseToolInput, type StreamEvent } from '@looprig/core'
import { foldEvents, streamEventsOf } from '@looprig/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraries } from '../support/arbitraries.ts'

describe('Accumulator', () => {
  it('rebuilds any message from any cut and any interleaving of its events, with any ascending indexes', () => {
    fc.assert(
      fc.property(arbitraries.streamedMessage, ({ message, events }) => {
        const { message: folded, toolCalls, finish } = foldEvents(events)

        expect(folded).toEqual(message)
        expect(toolCalls.map((call) => parseToolInput(call.argsJson))).toEqual(
          message.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.input] : [])),
        )
        expect(finish).toBeDefined()
      }),
      { numRuns: 300 },
    )
  })

  it('gives for every size of piece what the whole gives, and what is stored reads back equal', () => {
    fc.assert(
      fc.property(arbitraries.streamedMessage, fc.integer({ min: 1, max: 7 }), ({ message }, pieceLength) => {
        const whole = foldEvents(streamEventsOf(message))
        const pieces = foldEvents(streamEventsOf(message, { pieceLength }))

        expect(pieces).toEqual(whole)
        expect(aiMessageSchema.parse(JSON.parse(JSON.stringify(pieces.message)))).toEqual(whole.message)
      }),
    )
  })

  it('has no finish when a stream is cut anywhere, and its result is still one that can be stored', () => {
    fc.assert(
      fc.property(arbitraries.streamedMessage, fc.nat(), ({ events }, at) => {
        const { message, finish } = foldEvents(events.slice(0, at % events.length))

        expect(finish).toBeUndefined()
        expect(aiMessageSchema.safeParse(JSON.parse(JSON.stringify(message))).success).toBe(true)
      }),
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
