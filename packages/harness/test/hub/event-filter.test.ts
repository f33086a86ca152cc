import { describe, expect, it } from 'vitest'
import type { EventFilter } from '../../src/index.ts'
import { loopId, openHub, take } from './live-hub.ts'

/** What a filter lets through of a session event, a loop event and an ephemeral one, live and from the journal. */
async function filtered(filter: EventFilter) {
  const { hub, append, emit } = await openHub()
  const live = hub.subscribe(undefined, filter)
  await append(2)
  const replay = hub.subscribe(0, { ...filter, class: filter.class ?? 'enduring' })
  emit(1)
  hub.close()
  const read = await Promise.all([live, replay].map((reader) => take(reader, 10)))
  return read.map((deliveries) => deliveries.map(({ event }) => event.type))
}

describe('eventPredicate', () => {
  it('lets everything through without a filter', async () => {
    expect(await filtered({})).toEqual([
      ['SessionActive', 'LoopIdle', 'TokenDelta'],
      ['SessionActive', 'LoopIdle'],
    ])
  })

  it('chooses by type, live and from the journal', async () => {
    expect(await filtered({ types: ['LoopIdle'] })).toEqual([['LoopIdle'], ['LoopIdle']])
  })

  it('lets nothing through for an empty list of types', async () => {
    expect(await filtered({ types: [] })).toEqual([[], []])
  })

  it('chooses by class', async () => {
    expect(await filtered({ class: 'enduring' })).toEqual([
      ['SessionActive', 'LoopIdle'],
      ['SessionActive', 'LoopIdle'],
    ])
    expect(await filtered({ class: 'ephemeral' })).toEqual([['TokenDelta'], []])
  })

  it('chooses by loop, and lets session events pass', async () => {
    const other = loopId.replace('b', 'c') as typeof loopId

    expect(await filtered({ loopId })).toEqual([
      ['SessionActive', 'LoopIdle', 'TokenDelta'],
      ['SessionActive', 'LoopIdle'],
    ])
    expect(await filtered({ loopId: other })).toEqual([['SessionActive'], ['SessionActive']])
  })

  it('wants all fields that are set to fit', async () => {
    expect(await filtered({ types: ['LoopIdle', 'TokenDelta'], class: 'ephemeral', loopId })).toEqual([
      ['TokenDelta'],
      [],
    ])
  })
})
