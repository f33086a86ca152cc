import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { recordSession } from '../../src/testing.ts'
import { smallRig } from '../journal/small-rig.ts'

async function openSession() {
  return smallRig(memoryStore(), { responses: [{ text: 'Hi.' }] }).newSession()
}

describe('recordSession', () => {
  it('keeps what is delivered, in order', async () => {
    const session = await openSession()
    const recording = recordSession(session, { since: 0, filter: { class: 'enduring' } })

    await session.submit('go').result()
    await session.shutdown()

    expect(await recording.ended).toBeUndefined()
    expect(recording.deliveries.map(({ seq }) => seq)).toEqual([1, 2, 4, 5, 6, 7, 8, 9])
    expect(recording.events('TurnStarted')).toMatchObject([{ type: 'TurnStarted', turnIndex: 1 }])
  })

  it('waits for an event that comes, and for one that came', async () => {
    const session = await openSession()
    const recording = recordSession(session)
    const waiting = recording.waitFor('TurnDone')

    session.submit('go')

    const event = await waiting
    expect(await recording.waitFor('TurnDone')).toBe(event)
    await session.shutdown()
  })

  it('says so when the session ends before', async () => {
    const session = await openSession()
    const waiting = recordSession(session).waitFor('TurnDone', 2)

    await session.submit('go').result()
    await session.shutdown()

    await expect(waiting).rejects.toThrow('event 2 of type TurnDone')
  })

  it('ends with the recording', async () => {
    const session = await openSession()
    const recording = recordSession(session)

    recording.close()
    await session.submit('go').result()

    expect(await recording.ended).toBeUndefined()
    expect(recording.deliveries).toEqual([])
    await session.shutdown()
  })
})
