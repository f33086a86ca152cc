/** Notices and ends of processes between everything else that happens to a session, in random orders. */
import { textOf } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { defineLoop, defineRig, type Session } from '../../src/index.ts'
import { strictClient } from '../../src/testing.ts'
import { seededChoices } from '../durability/seeded-choices.ts'
import { readRecords, tempFolder } from '../journal/stores.ts'
import { expectLawful } from '../property/journal-laws.ts'
import { eventsOf, readBodies } from '../restore/journal-invariants.ts'
import { callEvents, model, streamingClient, textEvents } from '../session/open-session.ts'
import { countTool, type Made, pendingOf } from './counter.ts'

const acts = ['submit', 'notify', 'again', 'publish', 'interrupt', 'restore', 'wait', 'compact'] as const

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function play(seed: number): Promise<void> {
  const choose = seededChoices(seed)
  const client = streamingClient(async function* () {
    for (let left = choose([0, 0, 1, 3]); left > 0; left -= 1) await turn()
    const calls = choose([true, false])
    if (calls) yield* callEvents('c1', 'Count', '{}')
    else yield* textEvents('fine')
    yield { type: 'finish', reason: calls ? 'tool_use' : 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  })
  const made: Made = []
  const store = memoryStore()
  const loop = defineLoop({ name: 'main', client: strictClient(client), model, tools: [countTool(made)] })
  const rig = defineRig({ loops: [loop], store, resources: { root: tempFolder() } })
  let session: Session = await rig.newSession()
  const { loopId, id } = session
  const refusals: Promise<unknown>[] = []
  const doing = (done: Promise<unknown> | undefined) => {
    refusals.push(
      Promise.resolve(done)
        .then(() => undefined)
        .catch((error: unknown) => error),
    )
  }
  const told = new Set<string>()
  for (let step = 0; step < 30; step += 1) {
    const n = choose([1, 2, 3, 4, 5, 6])
    const services = made.at(-1)?.services
    const { event, notice } = pendingOf(n, loopId)
    switch (choose(acts)) {
      case 'submit':
        session.submit(`input ${step}`)
        break
      case 'notify':
      case 'again':
        doing(services?.notify(notice).then(() => told.add(notice.text)))
        break
      case 'publish':
        doing(services?.publish(event))
        break
      case 'interrupt':
        doing(session.interrupt())
        break
      case 'compact':
        doing(session.compact())
        break
      case 'restore':
        await session.shutdown()
        session = await rig.restoreSession(id)
        break
      default:
        await turn()
    }
  }
  for (const refusal of await Promise.all(refusals)) {
    // by a session that was closed meanwhile
    if (refusal !== undefined) expect(refusal).toMatchObject({ code: 'session_closed' })
  }
  await session.waitIdle()
  const inHistory = session.history().flatMap(({ role, blocks }) => (role === 'user' ? [textOf(blocks)] : []))
  await session.stop()

  const stored = await readRecords(store, id)
  expectLawful(stored, new Map())
  const records = readBodies(stored)
  const cancelled = eventsOf(records, 'InputCancelled').map(({ message }) => textOf(message.blocks))
  for (const text of told) {
    const times = [...inHistory, ...cancelled].filter((each) => each === text).length
    expect(times, text).toBe(1)
  }
  const ends = eventsOf(records, 'ProcessCompleted').map(({ processId }) => processId)
  expect(new Set(ends).size).toBe(ends.length)
}

describe('a session with resources, in any order', () => {
  it('keeps every law of a journal, and tells each thing once', async () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      await play(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error })
      })
    }
  })
})
