import type { StreamEvent } from '@looprig/core'
import { textOf } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { faultyStore } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { readBodies, resolvedInputs } from '../restore/journal-invariants.ts'
import { callEvents, calling, effectTool, openSession, streamingClient, textEvents } from '../session/open-session.ts'
import { takeBack } from './other-process.ts'
import { saidIn } from './steered-session.ts'

/** A turn whose tool has ended, and one input that waits: the fold's append is held until the test says. */
async function openFolding() {
  const reached = createDeferred<void>()
  const goOn = createDeferred<void>()
  const tool = createDeferred<void>()
  const running = createDeferred<void>()
  let held = false
  const store = faultyStore(memoryStore(), (_number, { records }) => {
    if (held || !records.some(({ body }) => body.includes('"TurnFoldedInto"'))) return undefined
    held = true
    const before = async () => {
      reached.resolve()
      await goOn.promise
    }
    return { kind: 'hooked', before }
  })
  const opened = await openSession({
    store,
    responses: [calling({ name: 'work' }), { text: 'done' }, { text: 'next' }],
    tools: [
      effectTool('work', async () => {
        running.resolve()
        await tool.promise
      }),
    ],
  })
  const first = opened.session.submit('first')
  await running.promise
  const waiting = opened.session.submit('sentinel')
  const behind = opened.session.submit('behind')
  await behind.accepted
  tool.resolve()
  await reached.promise
  return { ...opened, first, waiting, behind, goOn: goOn.resolve }
}

describe('a cancel that races a fold', () => {
  it('of another process wins when its record is first: the rest joins', async () => {
    const { session, store, first, waiting, behind, goOn, requests, recording } = await openFolding()

    const won = await takeBack(store, session.id, session.loopId, waiting.inputId)
    goOn()
    const results = await Promise.all([first, waiting, behind].map((submission) => submission.result()))

    expect(won).toBe(true)
    expect(results.map(({ status }) => status)).toEqual(['done', 'cancelled', 'done'])
    expect(requests.map(saidIn)).toEqual([['first'], ['first', 'behind']])
    expect(recording.events('TurnFoldedInto').map(({ inputId }) => inputId)).toEqual([behind.inputId])
  })

  it('of another process is too late when the fold is first', async () => {
    const { session, store, first, waiting, goOn, requests } = await openFolding()

    goOn()
    await first.result()
    const won = await takeBack(store, session.id, session.loopId, waiting.inputId)

    expect(won).toBe(false)
    expect((await waiting.result()).status).toBe('done')
    expect(requests.map(saidIn)).toEqual([['first'], ['first', 'sentinel', 'behind']])
  })

  it('of this process is decided after it: too late', async () => {
    const { session, waiting, goOn } = await openFolding()

    const cancelling = session.cancel(waiting.inputId)
    goOn()

    expect(await cancelling).toBe(false)
    expect((await waiting.result()).status).toBe('done')
  })

  it('is one of both, a thousand times, and the text reaches the model only if it joined', async () => {
    const outcomes = { cancelled: 0, done: 0 }
    for (let round = 0; round < 1_000; round += 1) {
      const outcome = await race(round)
      outcomes[outcome] += 1
    }

    expect(outcomes.cancelled + outcomes.done).toBe(1_000)
    expect(outcomes.cancelled).toBeGreaterThan(50)
    expect(outcomes.done).toBeGreaterThan(50)
  }, 60_000)
})

/** Yields to microtasks. */
async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) await Promise.resolve()
}

/** One race between another process that takes an input back and the owner who folds it. */
async function race(round: number): Promise<'cancelled' | 'done'> {
  const tool = createDeferred<void>()
  const running = createDeferred<void>()
  const client = streamingClient(async function* (n): AsyncGenerator<StreamEvent, void, undefined> {
    if (n === 1) yield* callEvents('c', 'work', '{}')
    else yield* textEvents('so')
    yield { type: 'finish', reason: n === 1 ? 'tool_use' : 'stop' }
  })
  const work = effectTool('work', async () => {
    running.resolve()
    await tool.promise
  })
  const { session, rig, store, requests } = await openSession({ client, tools: [work] })
  const first = session.submit('first')
  await running.promise
  const waiting = session.submit('sentinel')
  await waiting.accepted

  const cancelling = ticks(round % 37).then(() => rig.mailbox(session.id).cancel(waiting.inputId))
  await ticks((round * 7) % 41)
  tool.resolve()
  const [cancelled, , { status }] = await Promise.all([cancelling, first.result(), waiting.result()])
  await session.waitIdle()

  const records = readBodies(await readRecords(store, session.id))
  expect(resolvedInputs(records).filter((inputId) => inputId === waiting.inputId)).toHaveLength(1)
  const isSeen = requests.some(({ messages }) => messages.some(({ blocks }) => textOf(blocks) === 'sentinel'))
  expect(isSeen).toBe(!cancelled)
  expect(status).toBe(cancelled ? 'cancelled' : 'done')
  await session.shutdown()
  return cancelled ? 'cancelled' : 'done'
}
