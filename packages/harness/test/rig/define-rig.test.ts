import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionId } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DefinitionError, defineLoop, defineRig, type RigOptions } from '../../src/index.ts'
import { tempFolder } from '../journal/stores.ts'

const client = scriptedClient([])

function loop(name: string, tools = [tool('look')]) {
  return defineLoop({ name, client, model: { provider: 'p', name: 'm' }, tools })
}

function tool(name: string, setup: () => unknown = () => undefined) {
  const inputSchema = z.strictObject({})
  return defineTool({ name, description: name, pure: true, inputSchema, setup, run: () => textResult('ok') })
}

const placed = defineTool({
  name: 'placed',
  description: 'Needs a workspace.',
  requires: ['workspace'],
  inputSchema: z.strictObject({}),
  prepare: (_, { workspace }) => ({ summary: 'look', artifact: workspace.root, requirements: [] }),
  run: (root) => textResult(root),
})

function definitionError(options: unknown): unknown {
  try {
    return defineRig(options as RigOptions)
  } catch (error) {
    return error
  }
}

describe('defineRig', () => {
  const store = memoryStore()

  it.each<readonly [string, unknown, string]>([
    ['no loop', { loops: [], store }, 'loops'],
    ['no list of loops', { store }, 'loops'],
    ['a loop that is none', { loops: [loop('a'), {}], store }, 'loops[1]'],
    ['two loops of one name', { loops: [loop('a'), loop('a')], store }, 'loops'],
    ['no store', { loops: [loop('a')] }, 'store'],
    ['a store without leases', { loops: [loop('a')], store: { ledger: store.ledger } }, 'store'],
    ['a tool that needs a workspace, without one', { loops: [loop('a', [placed as never])], store }, 'workspace'],
    ['a workspace without a root', { loops: [loop('a')], store, workspace: {} }, 'workspace.root'],
    ['a root that is no text', { loops: [loop('a')], store, workspace: { root: 7 } }, 'workspace.root'],
  ])('refuses %s', (_, options, field) => {
    const error = definitionError(options)

    expect(error).toBeInstanceOf(DefinitionError)
    expect(error).toMatchObject({ code: 'definition_invalid', field })
    expect(String(error)).toContain(field)
  })

  it('copies what it is given, and cannot be changed', async () => {
    const loops = [loop('a')]
    const rig = defineRig({ loops, store: memoryStore() })
    loops.push(loop('b'))

    const session = await rig.newSession()
    await session.submit('go').result()

    expect(Object.isFrozen(rig)).toBe(true)
    await session.shutdown()
    await (await rig.restoreSession(session.id)).shutdown()
  })
})

/** Asserts that nothing is left of a session that could not be made. */
async function expectNothing(store: Store): Promise<void> {
  for (const entry of await store.ledger.list()) {
    expect(entry.tip).toBe(0)
    expect(await store.leases.isHeld(entry.session)).toBe(false)
  }
}

describe('newSession', () => {
  it('refuses a workspace that is not there, without telling its path', async () => {
    const store = memoryStore()
    const root = join(tempFolder(), 'secret-place')

    const refused = await defineRig({ loops: [loop('a')], store, workspace: { root } })
      .newSession()
      .catch(Object)

    expect(refused).toMatchObject({ code: 'definition_invalid', field: 'workspace.root' })
    expect(String(refused)).not.toContain('secret-place')
    await expectNothing(store)
  })

  it('refuses a workspace that is a file', async () => {
    const store = memoryStore()
    const root = join(tempFolder(), 'file')
    writeFileSync(root, '')

    const refused = defineRig({ loops: [loop('a')], store, workspace: { root } }).newSession()

    await expect(refused).rejects.toMatchObject({ field: 'workspace.root' })
    await expectNothing(store)
  })

  it('tells of a tool that could not be built, and leaves nothing', async () => {
    const store = memoryStore()
    const broken = tool('broken', () => {
      throw new Error('no database')
    })

    const refused = defineRig({ loops: [loop('a', [broken])], store }).newSession()

    await expect(refused).rejects.toMatchObject({ name: 'DefinitionBuildError', definition: 'broken' })
    await expectNothing(store)
  })

  it('makes sessions that share nothing', async () => {
    let built = 0
    const counting = tool('counting', () => {
      built += 1
    })
    const rig = defineRig({ loops: [loop('a', [counting])], store: memoryStore() })

    const [one, two] = await Promise.all([rig.newSession(), rig.newSession()])

    expect(built).toBe(2)
    expect(one.id).not.toBe(two.id)
    expect(one.loopId).not.toBe(two.loopId)
    await Promise.all([one.shutdown(), two.shutdown()])
  })

  it('starts every loop, and gives the inputs to the first', async () => {
    const rig = defineRig({ loops: [loop('a'), loop('b')], store: memoryStore() })
    const session = await rig.newSession()
    const events: string[] = []
    const subscription = session.subscribe({ since: 0 })

    await session.submit('go').result()
    await session.shutdown()
    for await (const { event } of subscription) {
      if (event.type === 'LoopStarted') events.push(event.name)
      if (event.type === 'TurnStarted') events.push(event.loopId === session.loopId ? 'first' : 'other')
    }

    expect(events).toEqual(['a', 'b', 'first'])
  })
})

describe('restoreSession', () => {
  it('refuses text that is no id', async () => {
    const rig = defineRig({ loops: [loop('a')], store: memoryStore() })

    const refused = rig.restoreSession('../../etc' as SessionId)

    await expect(refused).rejects.toMatchObject({ code: 'session_not_found' })
  })

  it('gives the session back when a tool cannot be built', async () => {
    const store = memoryStore()
    let broken = false
    const flaky = tool('flaky', () => {
      if (broken) throw new Error('no database')
    })
    const rig = defineRig({ loops: [loop('a', [flaky])], store })
    const session = await rig.newSession()
    await session.shutdown()
    broken = true

    await expect(rig.restoreSession(session.id)).rejects.toMatchObject({ name: 'DefinitionBuildError' })

    expect((await store.ledger.find(session.id))?.tip).toBe(2)
    broken = false
    await (await rig.restoreSession(session.id)).shutdown()
  })
})
