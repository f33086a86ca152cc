import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionId } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { buildTools, DefinitionBuildError } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { DefinitionError, SessionError } from '../../src/index.ts'
import { ResourceRegistry } from '../../src/resource/resource-registry.ts'
import { fakeClock, faultAt, faultyStore } from '../../src/testing.ts'
import { tempFolder } from '../journal/stores.ts'
import { calling, resultTexts } from '../session/open-session.ts'
import { Counter, countTool, type Made } from './counter.ts'
import { resourceRig, watched } from './resource-rig.ts'

const sessionId = '00000000-0000-7000-8000-000000000001' as SessionId

function registry(root = join(tempFolder(), 'new', 'resources'), clock = fakeClock()) {
  return { resources: new ResourceRegistry({ root, sessionId, clock }), root, clock }
}

describe('the resources of a session', () => {
  it('are made once per key, also for callers at the same time, each in a private folder', async () => {
    const { resources, root } = registry()
    const made: Counter[] = []
    const create = async (directory: string) => {
      made.push(new Counter(directory))
      return made[0] ?? new Counter(directory)
    }

    const [first, second] = await Promise.all([resources.getOrCreate('a', create), resources.getOrCreate('a', create)])

    expect(second).toBe(first)
    expect(await resources.getOrCreate('a', create)).toBe(first)
    expect(made).toHaveLength(1)
    expect(first.directory).toBe(join(root, sessionId, 'a'))
    for (const folder of [root, join(root, sessionId), first.directory]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700)
    }
  })

  it('may be tried again after a creation that failed', async () => {
    const { resources } = registry()
    const failing = resources.getOrCreate('a', async () => {
      throw new TypeError('not now')
    })

    await expect(failing).rejects.toThrow('not now')
    const counter = await resources.getOrCreate('a', async (directory) => new Counter(directory))

    expect(counter.count).toBe(0)
  })

  it.each([
    ['a link in the place of the root', (root: string) => symlinkSync(tempFolder(), root)],
    ['a root in which others may write', (root: string) => openFolder(root, 0o770)],
    [
      'a link in the place of the session',
      (root: string) => {
        openFolder(root, 0o700)
        symlinkSync(tempFolder(), join(root, sessionId))
      },
    ],
    [
      'a folder of the session that others may read',
      (root: string) => {
        openFolder(root, 0o700)
        openFolder(join(root, sessionId), 0o750)
      },
    ],
  ])('refuse %s', async (_, prepare) => {
    const root = join(tempFolder(), 'resources')
    prepare(root)
    const { resources } = registry(root)
    let isCreated = false

    const opened = resources.getOrCreate('a', async (directory) => {
      isCreated = true
      return new Counter(directory)
    })

    await expect(opened).rejects.toMatchObject({ code: 'resource_failed' })
    await expect(opened).rejects.not.toThrow(root)
    expect(isCreated).toBe(false)
  })

  it.each(['', '..', 'a/b', 'A', 'a'.repeat(65)])('refuse the key %j', async (key) => {
    const { resources } = registry()

    await expect(resources.getOrCreate(key, async (directory) => new Counter(directory))).rejects.toBeInstanceOf(
      SessionError,
    )
  })

  it('end when they were made too late, and are not given out', async () => {
    const { resources } = registry()
    const hold = createDeferred<void>()
    let late: Counter | undefined
    const opening = resources.getOrCreate('a', async (directory) => {
      late = new Counter(directory)
      await hold.promise
      return late
    })
    opening.catch(() => undefined)

    const closing = resources.close()
    hold.resolve()
    await closing

    await expect(opening).rejects.toMatchObject({ code: 'session_closed' })
    expect(late?.log).toEqual(['shutdown'])
    await expect(resources.getOrCreate('b', async () => new Counter(''))).rejects.toMatchObject({
      code: 'session_closed',
    })
  })

  it('are waited for no longer than 30 s when they do not end', async () => {
    const { resources, clock } = registry()
    const counter = await resources.getOrCreate('a', async (directory) => new Counter(directory))
    counter.hooks.shutdown = () => new Promise(() => undefined)

    const closing = resources.close()
    await clock.whenPending()
    await clock.advance(30_000)

    await expect(closing).resolves.toBeUndefined()
  })

  it('are active when they are made later, before anybody gets them', async () => {
    const { resources } = registry()
    await resources.activate({ publish: async () => undefined, notify: async () => undefined })

    const counter = await resources.getOrCreate('a', async (directory) => new Counter(directory))

    expect(counter.log).toEqual(['activate'])
  })

  it('end when they cannot be activated', async () => {
    const { resources } = registry()
    await resources.activate({ publish: async () => undefined, notify: async () => undefined })
    let broken: Counter | undefined
    const opening = resources.getOrCreate('a', async (directory) => {
      broken = new Counter(directory)
      broken.hooks.activate = () => Promise.reject(new TypeError('broken'))
      return broken
    })

    await expect(opening).rejects.toMatchObject({ code: 'resource_failed' })
    expect(broken?.log).toEqual(['activate', 'shutdown'])
  })
})

function openFolder(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}

describe('a rig with resources', () => {
  it('shares one resource among the tools of a session, active before the first turn and ended with it', async () => {
    const { rig, made } = resourceRig({ responses: [calling({ id: 'c1', name: 'Count', input: {} }), { text: 'ok' }] })
    const session = await rig.newSession()
    watched(session)
    expect(made.map(({ log }) => log)).toEqual([['activate']])

    await session.submit('go').result()
    await session.shutdown()

    expect(resultTexts(session.history())).toEqual(['1'])
    expect(made.map(({ log }) => log)).toEqual([['activate', 'shutdown']])
  })

  it('gives two sessions two resources, and a restored one its folder again', async () => {
    const said = [calling({ id: 'c1', name: 'Count', input: {} }), { text: 'ok' }]
    const { rig, made } = resourceRig({ responses: [...said, ...said] })
    const first = await rig.newSession()
    const second = await rig.newSession()
    await first.submit('go').result()
    await first.shutdown()
    await second.shutdown()

    const again = await rig.restoreSession(first.id)
    watched(again)
    await again.submit('go').result()

    expect(resultTexts(again.history())).toEqual(['1', '2'])
    expect(made.map(({ directory }) => directory)).toEqual([made[0]?.directory, made[1]?.directory, made[0]?.directory])
    expect(made[0]?.directory).not.toBe(made[1]?.directory)
  })

  it('cannot build a tool that requires processes without a place for resources', async () => {
    const made: Made = []
    const { rig } = resourceRig({ tools: [countTool(made)], rig: { resources: undefined } })

    const opening = rig.newSession()

    await expect(opening).rejects.toBeInstanceOf(DefinitionBuildError)
    await expect(opening).rejects.toMatchObject({ code: 'missing_dependency' })
    const identity = { sessionId, loopId: sessionId as never }
    await expect(buildTools(countTool(made), identity)).rejects.toMatchObject({ code: 'missing_dependency' })
  })

  it.each(['', '/.looprig', '/deep/er'])('makes no tool whose files would lie in the workspace (%j)', async (below) => {
    const workspace = tempFolder()
    const { rig } = resourceRig({ root: workspace + below, rig: { workspace: { root: workspace } } })

    const error = await rig.newSession().catch((caught: unknown) => caught)

    expect(error).toBeInstanceOf(DefinitionBuildError)
    expect(error).toMatchObject({ code: 'setup_failed', cause: { code: 'resource_failed' } })
    expect(String((error as Error).cause)).toContain('lies in the workspace')
  })

  it('takes a place beside the workspace whose name begins as the workspace does', async () => {
    const workspace = tempFolder()
    const { rig } = resourceRig({ root: `${workspace}-resources`, rig: { workspace: { root: workspace } } })

    const session = await rig.newSession()
    watched(session)

    expect(session.fault).toBeUndefined()
  })

  it.each([{ root: '' }, { root: 3 }, null])('refuses the place %j', (resources) => {
    expect(() => resourceRig({ rig: { resources: resources as never } })).toThrow(DefinitionError)
  })

  it('opens no session whose resource cannot be activated, and gives the lease back', async () => {
    const made: Made = []
    let isBroken = true
    const tool = countTool(made, (counter) => {
      counter.hooks.activate = async () => {
        if (isBroken) throw new TypeError('disk')
      }
    })
    const { rig, store } = resourceRig({ tools: [tool] })

    await expect(rig.newSession()).rejects.toMatchObject({ code: 'resource_failed' })

    expect(made.map(({ log }) => log)).toEqual([['activate', 'shutdown']])
    const [left] = await store.ledger.list()
    isBroken = false
    const session = await rig.restoreSession(left?.session as SessionId)
    watched(session)
    expect(session.fault).toBeUndefined()
  })

  it('ends resources when the session faults, before its lease is free', async () => {
    const store = faultyStore(memoryStore(), faultAt(2, { kind: 'refused' }))
    const { rig, made } = resourceRig({ store, responses: [{ text: 'ok' }] })
    const session = await rig.newSession()
    const [counter] = made
    const isHeld = createDeferred<boolean>()
    if (counter !== undefined) {
      counter.hooks.shutdown = async () => isHeld.resolve(await store.leases.isHeld(session.id))
    }

    await session.submit('go').accepted.catch(() => undefined)

    expect(await isHeld.promise).toBe(true)
    expect(session.fault).toBeDefined()
    await session.shutdown()
    expect(await store.leases.isHeld(session.id)).toBe(false)
    expect(counter?.log).toEqual(['activate', 'shutdown'])
  })
})
