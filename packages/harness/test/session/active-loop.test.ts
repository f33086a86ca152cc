import type { LoopId } from '@looprig/core'
import { textOf } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineLoop, defineRig } from '../../src/index.ts'
import { countingIds } from '../../src/testing.ts'

const unknown = '99999999-0000-7000-8000-000000000000' as LoopId // proved: a UUID

/** A session of two loops, each of which says its name. */
async function openTwo() {
  const store = memoryStore()
  const loop = (name: string) => {
    const client = scriptedClient([{ text: `I am ${name}.` }, { text: `Still ${name}.` }])
    return defineLoop({ name, client, model: { provider: 'scripted', name: 'm' } })
  }
  const rig = (seed: number) => defineRig({ loops: [loop('first'), loop('second')], store, ids: countingIds(seed) })
  const session = await rig(0).newSession()
  onTestFinished(() => session.shutdown())
  const [first, second] = session.loops.map(({ loopId }) => loopId)
  if (first === undefined || second === undefined) throw new Error('two loops were expected')
  return { session, rig, store, first, second }
}

describe('the loop that takes inputs', () => {
  it('is the first of the rig', async () => {
    const { session, first } = await openTwo()

    expect(session.loopId).toBe(first)
    expect((await session.submit('who?').result()).text).toBe('I am first.')
  })

  it('is another one when it was chosen; each keeps its own transcript', async () => {
    const { session, first, second } = await openTwo()
    await session.submit('who?').result()

    await session.setActiveLoop(second)

    expect((await session.submit('and you?').result()).text).toBe('I am second.')
    const said = (loopId: LoopId) => session.history(loopId).map((message) => textOf(message.blocks))
    expect(said(first)).toEqual(['who?', 'I am first.'])
    expect(said(second)).toEqual(['and you?', 'I am second.'])
  })

  it('is the same after a restore, and for who writes from another process', async () => {
    const { session, rig, second } = await openTwo()
    await session.setActiveLoop(second)
    await session.shutdown()

    const restored = await rig(1).restoreSession(session.id)
    onTestFinished(() => restored.shutdown())

    expect(restored.loopId).toBe(second)
    const inputId = await rig(1).mailbox(session.id).submit('who?')
    expect((await restored.submit('who?', { inputId }).result()).text).toBe('I am second.')
  })

  it('is changed once: the same choice again writes nothing', async () => {
    const { session, store, second } = await openTwo()
    await session.setActiveLoop(second)
    const before = await store.ledger.find(session.id)

    await session.setActiveLoop(second)

    expect(await store.ledger.find(session.id)).toEqual(before)
  })

  it('cannot be one that is not there', async () => {
    const { session } = await openTwo()

    await expect(session.setActiveLoop(unknown)).rejects.toMatchObject({ code: 'loop_not_found' })
    expect(() => session.history(unknown)).toThrow(expect.objectContaining({ code: 'loop_not_found' }))
  })
})
