import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DefinitionError, defineLoop, defineRig, type LoopOptions, type RigOptions } from '../../src/index.ts'
import { recordSession, strictClient } from '../../src/testing.ts'
import { storeKinds } from '../journal/stores.ts'
import { effectTool, model } from '../session/open-session.ts'

const loopOf = (name: string, more: Partial<LoopOptions> = {}) =>
  defineLoop({ name, model, client: scriptedClient([]), ...more })

describe('the loops of a rig (c-3)', () => {
  it.each<[string, () => Partial<RigOptions>, string]>([
    ['two of one name', () => ({ loops: [loopOf('a'), loopOf('a')] }), 'loops'],
    ['a delegate that is not there', () => ({ loops: [loopOf('a', { delegates: ['b'] })] }), 'loops[0].delegates[0]'],
    ['one that nobody starts', () => ({ loops: [loopOf('a'), loopOf('b')], primers: ['a'] }), 'loops[1]'],
    [
      'two that only start each other',
      () => ({
        loops: [loopOf('a'), loopOf('b', { delegates: ['c'] }), loopOf('c', { delegates: ['b'] })],
        primers: ['a'],
      }),
      'loops[1]',
    ],
    ['a primer that is not there', () => ({ loops: [loopOf('a')], primers: ['b'] }), 'primers[0]'],
    ['a primer twice', () => ({ loops: [loopOf('a')], primers: ['a', 'a'] }), 'primers[1]'],
    [
      'a circle without a primer',
      () => ({ loops: [loopOf('a', { delegates: ['b'] }), loopOf('b', { delegates: ['a'] })] }),
      'primers',
    ],
  ])('are refused with %s', (_, options, field) => {
    const make = () => defineRig({ loops: [], store: memoryStore(), ...options() })

    expect(make).toThrow(DefinitionError)
    expect(make).toThrow(expect.objectContaining({ code: 'definition_invalid', field }))
  })

  it.each(['StartAgent', 'MessageAgent', 'ListAgents', 'StopAgent', 'final_output'])(
    'may have no tool named %s, in no mode',
    (name) => {
      const tools = [effectTool(name, () => undefined)]

      expect(() => loopOf('a', { tools })).toThrow(expect.objectContaining({ field: 'tools[0]' }))
      expect(() => loopOf('a', { modes: [{ name: 'm', tools }], initialMode: '' })).toThrow(DefinitionError)
    },
  )

  it('may start themselves and each other where a primer reaches them', () => {
    const loops = [loopOf('a', { delegates: ['a', 'b'] }), loopOf('b', { delegates: ['a'] })]

    expect(() => defineRig({ loops, primers: ['a'], store: memoryStore() })).not.toThrow()
  })
})

describe('one definition in two sessions', () => {
  it('is not changed by who made it: neither sees it in its next request (c-2)', async () => {
    const client = scriptedClient(Array.from({ length: 4 }, () => ({ text: 'ok' })))
    const tools = [effectTool('one', () => undefined)]
    const changing = { ...model }
    const loop = defineLoop({ name: 'main', client: strictClient(client), model: changing, tools })
    const loops = [loop]
    const rig = defineRig({ loops, store: memoryStore() })
    const sessions = [await rig.newSession(), await rig.newSession()]
    for (const session of sessions) await session.submit('before').result()

    tools.push(effectTool('two', () => undefined))
    changing.name = 'other'
    loops.length = 0
    for (const session of sessions) await session.submit('after').result()
    await Promise.all(sessions.map((session) => session.shutdown()))

    expect(client.requests.map((request) => request.tools?.map(({ name }) => name))).toEqual(Array(4).fill(['one']))
    expect(client.requests.map((request) => request.model.name)).toEqual(Array(4).fill(model.name))
  })
})

describe.each(storeKinds)('two loops of which the second cannot be built on $name', ({ open }) => {
  it('make no session, hold no lease, and can be made again (c-4)', async () => {
    const store = open()
    let isBroken = true
    const tool = (name: string, setup: () => void) =>
      defineTool({
        name,
        description: name,
        pure: true,
        inputSchema: z.strictObject({}),
        setup,
        run: () => textResult('ok'),
      })
    const built: string[] = []
    const builtBy = (name: string, setup: () => void) =>
      defineLoop({ name, model, tools: [tool(name, setup)], client: scriptedClient([{ text: 'ok' }]) })
    const loops = [
      builtBy('first', () => void built.push('first')),
      builtBy('second', () => {
        if (isBroken) throw new Error('no database')
      }),
    ]
    const rig = defineRig({ loops, primers: ['first', 'second'], store })

    const refused = await rig.newSession().catch((error: unknown) => error)
    const left = await store.ledger.list()
    const held = await Promise.all(left.map(({ session }) => store.leases.isHeld(session)))
    isBroken = false
    const session = await rig.newSession()
    const recording = recordSession(session, { since: 0 })
    const { status } = await session.submit('go').result()
    await session.shutdown()
    await recording.ended

    expect(refused).toMatchObject({ name: 'DefinitionBuildError', definition: 'second' })
    expect(built[0]).toBe('first')
    expect(left.map(({ tip }) => tip).filter((tip) => tip > 0)).toEqual([])
    expect(held).not.toContain(true)
    expect(status).toBe('done')
    expect(recording.events('LoopStarted').map(({ name }) => name)).toEqual(['first', 'second'])
  })
})
