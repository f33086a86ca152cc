import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { faultyStore } from '../../src/testing.ts'
import { openSteered } from '../queue/steered-session.ts'
import { calling, delivered, openSession } from '../session/open-session.ts'

/** A store that holds the first append with an event of this type until the test says. */
function holdingStore(type: string) {
  const reached = createDeferred<void>()
  const goOn = createDeferred<void>()
  let isHeld = false
  const store = faultyStore(memoryStore(), (_number, { records }) => {
    if (isHeld || !records.some(({ body }) => body.includes(`"type":"${type}"`))) return undefined
    isHeld = true
    const before = async () => {
      reached.resolve()
      await goOn.promise
    }
    return { kind: 'hooked', before }
  })
  return { store, reached: reached.promise, goOn: goOn.resolve }
}

describe('an interrupt at any moment', () => {
  it('before the start is durable ends that turn', async () => {
    const { store, reached, goOn } = holdingStore('TurnStarted')
    const { session } = await openSession({ store, responses: [{ text: 'ok' }] })
    const submission = session.submit('Hi')
    await reached

    const interrupted = session.interrupt()
    goOn()

    expect(await interrupted).toBe(true)
    expect((await submission.result()).status).toBe('interrupted')
  })

  it('while a fold is on its way ends the turn with what joined it', async () => {
    const { store, reached, goOn } = holdingStore('TurnFoldedInto')
    const { session, first, ...steered } = await openSteered({ store })
    const joined = session.submit('a')
    await joined.accepted
    steered.goOn()
    await reached

    const interrupted = session.interrupt()
    goOn()

    expect(await interrupted).toBe(true)
    expect([await first.result(), await joined.result()].map(({ status }) => status)).toEqual([
      'interrupted',
      'interrupted',
    ])
  })

  it('while the end is on its way resolves when it is durable, and leaves it as it is', async () => {
    const { store, reached, goOn } = holdingStore('TurnDone')
    const { session, recording } = await openSession({ store, responses: [{ text: 'ok' }] })
    const submission = session.submit('Hi')
    await reached
    let isOver = false
    const interrupted = session.interrupt().finally(() => {
      isOver = true
    })
    await delivered()
    const before = isOver

    goOn()

    expect([before, await interrupted]).toEqual([false, true])
    expect((await submission.result()).status).toBe('done')
    expect(recording.events('TurnInterrupted')).toEqual([])
  })

  it('beside a shutdown ends the turn once', async () => {
    const { session, first, goOn, recording } = await openSteered({ after: [calling({ name: 'work' })] })

    const both = Promise.all([session.interrupt(), session.shutdown(), session.interrupt()])
    goOn()
    await both
    await recording.ended

    expect((await first.result()).status).toBe('interrupted')
    expect(recording.events('TurnInterrupted')).toHaveLength(1)
  })

  it('fails when nobody knows whether the end is durable', async () => {
    const store = faultyStore(memoryStore(), (_number, { records }) =>
      records.some(({ body }) => body.includes('"TurnInterrupted"')) ? { kind: 'refused' } : undefined,
    )
    const { session, goOn } = await openSteered({ store })

    const interrupted = session.interrupt()
    goOn()

    await expect(interrupted).rejects.toMatchObject({ code: 'session_faulted' })
    expect(await session.interrupt()).toBe(false)
  })
})
