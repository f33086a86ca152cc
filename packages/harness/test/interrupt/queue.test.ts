import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { faultyStore } from '../../src/testing.ts'
import { handOver } from '../queue/other-process.ts'
import { openSteered, saidIn } from '../queue/steered-session.ts'
import { delivered } from '../session/open-session.ts'

/** A turn that works, with inputs of people and of agents behind it, none of which may join it. */
async function openMixed(store = faultyStore(memoryStore(), () => undefined)) {
  const opened = await openSteered({ store, after: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] })
  const { session, recording } = opened
  const give = (text: string, agency: 'user' | 'machine') =>
    handOver(store, session.id, session.loopId, { text, agency, noFold: true })
  const ids = [await give('a', 'machine'), await give('b', 'user'), await give('c', 'machine'), await give('d', 'user')]
  await recording.waitFor('InputQueued', 4)
  return { ...opened, store, ids }
}

describe('an interrupt with inputs behind the turn', () => {
  it('keeps what people said and cancels what agents said, in the append of the terminal', async () => {
    const { session, store, goOn, ids, recording, requests } = await openMixed()

    const interrupted = session.interrupt()
    goOn()
    await interrupted
    await session.waitIdle()
    await delivered()

    const [a, b, c, d] = ids
    expect(recording.events('InputCancelled')).toMatchObject([
      { inputId: a, reason: 'turn_interrupted', message: { blocks: [{ type: 'text', text: 'a' }] } },
      { inputId: c, reason: 'turn_interrupted' },
    ])
    expect(recording.events('TurnStarted').map(({ inputId }) => inputId)).toEqual([expect.any(String), b, d])
    const groups = store.appends.map(({ records }) => records.map(({ body }) => JSON.parse(body).type))
    expect(groups.find((types) => types.includes('TurnInterrupted'))).toEqual([
      ...['StepDone', 'TurnInterrupted', 'InputCancelled', 'InputCancelled', 'TurnStarted'],
    ])
    expect(requests.map(saidIn)).toEqual([['first'], ['first', 'b'], ['first', 'b', 'd']])
  })

  it('lets everything run when the turn is not interrupted', async () => {
    const { session, goOn, requests, recording } = await openMixed()

    goOn()
    await recording.waitFor('TurnDone', 3)
    await session.interrupt()

    expect(requests.slice(1, 4).map((request) => saidIn(request).at(-1))).toEqual(['first', 'a', 'b'])
  })

  it.each(['before', 'after'] as const)('requeues none of the agents when it is killed %s its append', async (when) => {
    let isKilled = false
    const store = faultyStore(memoryStore(), (_number, { records }) => {
      if (isKilled || !records.some(({ body }) => body.includes('"TurnInterrupted"'))) return undefined
      isKilled = true
      const kill = () => {
        throw new Error('killed')
      }
      return { kind: 'hooked', [when]: kill }
    })
    const { session, goOn, rig, ids, recording } = await openMixed(store)
    const interrupted = session.interrupt()
    goOn()
    await interrupted.catch(() => undefined)
    await recording.ended

    await using restored = await rig.restoreSession(session.id)
    await restored.waitIdle()

    const said = restored.history().flatMap(({ role, blocks: [block] }) => (role === 'user' ? [block] : []))
    expect(said).toMatchObject([{ text: 'first' }, { text: 'b' }, { text: 'd' }])
    const [a] = ids
    expect(await restored.submit('a', { inputId: a }).result()).toMatchObject({ status: 'cancelled' })
  })

  it('keeps all of them for a restore when the session is shut down', async () => {
    const { session, goOn, rig } = await openMixed()

    const closed = session.shutdown()
    goOn()
    await closed
    const { loops } = await rig.inspect(session.id)

    expect(loops[0]?.queued.map(({ message: { blocks } }) => blocks)).toMatchObject(
      ['a', 'b', 'c', 'd'].map((text) => [{ text }]),
    )
  })

  it('cancels all of them when the session is stopped', async () => {
    const { session, goOn, recording } = await openMixed()

    const stopped = session.stop()
    goOn()
    await stopped
    await recording.ended

    expect(recording.events('InputCancelled').map(({ reason }) => reason)).toEqual(Array(4).fill('session_stopped'))
  })
})
