import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { countingIds, faultyStore } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { effectTool } from '../session/open-session.ts'
import { expectWholeSession } from './agent-invariants.ts'
import { agentRig, calls, starts, type TestLoop } from './agent-session.ts'

const loops = (): Readonly<Record<string, TestLoop>> => ({
  main: {
    says: [
      starts('scout', { wait_for_response: false }),
      starts('mid', {}, 2),
      ...Array.from({ length: 6 }, () => ({ text: 'ok' })),
    ],
    delegation: 'managed',
    delegates: ['scout', 'mid'],
  },
  scout: { says: [calls('Act', {}), { text: 'found' }], tools: [effectTool('Act', () => undefined)] },
  mid: {
    says: [starts('leaf'), starts('leaf'), { text: 'a' }, { text: 'b' }],
    delegates: ['leaf'],
  },
  leaf: { says: [{ text: 'deep' }, { text: 'deep' }] },
})

/** Lets a number of microtasks pass. */
async function ticks(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await Promise.resolve()
}

describe('agents that are stopped at any moment', () => {
  it.each(['interrupt', 'shutdown', 'stop'] as const)('by %s leave a whole session', async (end) => {
    let moments = 0
    for (let count = 0; count < 1_200; count += 13) {
      const store = faultyStore(memoryStore(), () => undefined)
      const { rig } = agentRig({ loops: loops(), store, ids: countingIds(1) })
      const session = await rig.newSession()
      const submission = session.submit('go')
      await ticks(count)
      const before = store.appends.length

      await session[end]()
      if (end === 'interrupt') await session.waitIdle()
      await session.shutdown()

      const result = await submission.result()
      if (result.status !== 'done') moments += 1
      expect(store.appends.length).toBeGreaterThanOrEqual(before)
      if (end === 'shutdown') {
        const again = agentRig({ loops: loops(), store, ids: countingIds(2) })
        const restored = await again.rig.restoreSession(session.id)
        await restored.waitIdle()
        await restored.shutdown()
      }
      expectWholeSession(await readRecords(store, session.id), { isStopped: end !== 'shutdown' })
    }
    expect(moments).toBeGreaterThan(20)
  })
})
