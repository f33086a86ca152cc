import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { adoptAll, defineLoop, defineRig, type LoopMode } from '../../src/index.ts'
import { openSteered } from '../queue/steered-session.ts'
import { model } from '../session/open-session.ts'

const other = { provider: 'scripted', name: 'other' }
const third = { provider: 'elsewhere', name: 'third', sampling: { stop: ['END'], temperature: 0.25 } }
const modes: readonly LoopMode[] = [
  { name: 'plan', instructions: 'Plan only.' },
  { name: 'fast', model: other },
]

function rigOf(store = memoryStore(), known = modes, initialMode = known[0]?.name ?? '') {
  const client = scriptedClient(Array.from({ length: 4 }, (_, n) => ({ text: `answer ${n}` })))
  const loop = defineLoop({ name: 'main', client, model, modes: known, initialMode })
  return { rig: defineRig({ loops: [loop], store, onDrift: adoptAll }), client, store }
}

describe('a restored session', () => {
  it('begins in the mode in which it was', async () => {
    const { rig, client } = rigOf()
    const session = await rig.newSession()
    await session.setMode('fast')
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)
    await restored.submit('Hi').result()

    expect([restored.mode, restored.model]).toEqual(['fast', other])
    expect(client.requests[0]?.model).toEqual(other)
  })

  it('keeps the initial mode that it began with, also when the rig has another one by now', async () => {
    const { rig, store } = rigOf()
    const session = await rig.newSession()
    await session.shutdown()

    await using restored = await rigOf(store, modes, 'fast').rig.restoreSession(session.id)

    expect(restored.mode).toBe('plan')
  })

  it('keeps the model that was chosen, exactly', async () => {
    const { rig } = rigOf()
    const session = await rig.newSession()
    await session.setModel(third)
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)

    expect(restored.model).toEqual(third)
  })

  it.each<[string, readonly ('fast' | 'plan' | 'third')[], string]>([
    ['the mode came last', ['third', 'fast'], 'other'],
    ['the model came last', ['fast', 'third'], 'third'],
    ['the mode has no model', ['third', 'plan'], 'third'],
    ['the mode was left again', ['third', 'fast', 'plan'], 'third'],
  ])('asks the same model as before when %s', async (_name, steps, expected) => {
    const { rig } = rigOf()
    const session = await rig.newSession()
    for (const step of steps) await (step === 'third' ? session.setModel(third) : session.setMode(step))
    const before = session.model.name
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)

    expect([before, restored.model.name]).toEqual([expected, expected])
  })

  it('does not go on in a mode that the rig does not have', async () => {
    const { rig, store } = rigOf()
    const session = await rig.newSession()
    await session.setMode('fast')
    await session.shutdown()
    const client = scriptedClient([])
    const loop = defineLoop({ name: 'main', client, model, modes: modes.slice(0, 1), initialMode: 'plan' })

    const refused = await defineRig({ loops: [loop], store })
      .restoreSession(session.id)
      .catch((error: unknown) => error)

    expect(refused).toMatchObject({ code: 'restore_rejected' })
  })

  it('counts the folded inputs of an interrupted turn as interrupted', async () => {
    const { session, goOn, again, rig } = await openSteered({ after: [{ toolCalls: [{ name: 'work' }] }] })
    const joined = session.submit('a')
    await joined.accepted
    goOn()
    await again(2)
    const closed = session.shutdown()
    goOn(2)
    await closed

    await using restored = await rig.restoreSession(session.id)
    const repeated = await restored.submit('a', { inputId: joined.inputId }).result()

    expect(repeated).toEqual(await joined.result())
    expect(repeated.status).toBe('interrupted')
  })
})
