import { realpathSync } from 'node:fs'
import { newRecord } from '@looprig/store/testing'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/index.ts'
import { listSessions } from '../../src/index.ts'
import { recordSession } from '../../src/testing.ts'
import { aborted, act, actTool, smallRig } from '../journal/small-rig.ts'
import { storeKinds, tempFolder } from '../journal/stores.ts'

const text = { text: 'Hi.' }
const failing = { error: { code: 'auth' } } as const

/** Waits until the store's clock shows another millisecond. */
async function tick(): Promise<void> {
  for (const startedAt = Date.now(); Date.now() === startedAt; ) await new Promise((resolve) => setImmediate(resolve))
}

describe.each(storeKinds)('sessions on $name', (kind) => {
  const statusOf = async (store: ReturnType<typeof kind.open>, session: Session) =>
    (await listSessions(store)).find((entry) => entry.id === session.id)?.status

  it('leaves out a session without an input', async () => {
    const store = kind.open()
    const rig = smallRig(store)

    const session = await rig.newSession()
    await session.shutdown()

    expect(await rig.sessions()).toEqual([])
  })

  it('is running while an owner lives, then idle', async () => {
    const store = kind.open()
    const session = await smallRig(store, { responses: [text] }).newSession()
    await session.submit('go').result()

    expect(await statusOf(store, session)).toBe('running')

    await session.shutdown()
    expect(await statusOf(store, session)).toBe('idle')
  })

  it('is failed after a turn that failed, and idle after the next', async () => {
    const store = kind.open()
    const session = await smallRig(store, { responses: [failing, text] }).newSession()
    await session.submit('go').result()
    await session.shutdown()

    expect(await statusOf(store, session)).toBe('failed')

    const restored = await smallRig(store, { responses: [text], seed: 1 }).restoreSession(session.id)
    await restored.submit('again').result()
    await restored.shutdown()
    expect(await statusOf(store, session)).toBe('idle')
  })

  it('is interrupted after an interrupt, and after a shutdown in a turn', async () => {
    const store = kind.open()
    const tools = [actTool(aborted)]
    for (const stop of ['interrupt', 'shutdown'] as const) {
      const session = await smallRig(store, { responses: [act], tools, seed: stop.length }).newSession()
      const recording = recordSession(session)
      session.submit('go')
      await recording.waitFor('ToolCallStarted')

      await session[stop]()
      await session.shutdown()

      expect(await statusOf(store, session)).toBe('interrupted')
    }
  })

  it('is waiting when it was parked at a gate, also once more, and interrupted once that was closed', async () => {
    const store = kind.open()
    const options = { responses: [act], tools: [actTool(() => undefined)], says: 'ask' } as const
    const session = await smallRig(store, options).newSession()
    session.submit('go')
    await session.waitIdle({ orWaiting: true })

    await session.shutdown()
    expect(await statusOf(store, session)).toBe('waiting')

    const restored = await smallRig(store, { ...options, seed: 1 }).restoreSession(session.id)
    await restored.shutdown()
    expect(await statusOf(store, session)).toBe('waiting')

    const last = await smallRig(store, { ...options, seed: 2 }).restoreSession(session.id)
    await last.interrupt()
    await last.shutdown()
    expect(await statusOf(store, session)).toBe('interrupted')
  })

  it('is interrupted when its owner is gone in the middle of a turn', async () => {
    const store = kind.open()
    const tools = [actTool(aborted)]
    const session = await smallRig(store, { responses: [act], tools }).newSession()
    const recording = recordSession(session)
    session.submit('go')
    await recording.waitFor('ToolCallStarted')
    const { head = '' } = (await store.ledger.find(session.id)) ?? {}

    const held = await statusOf(store, session)
    await session.shutdown()
    const lease = await store.leases.acquire(session.id)
    await store.ledger.append({ session: session.id, epoch: lease.epoch, records: [newRecord('x')], head })
    await lease.release()

    expect(held).toBe('running')
    expect(await statusOf(store, session)).toBe('interrupted')
  })

  it('has the last active first, with workspace and time', async () => {
    const store = kind.open()
    const root = tempFolder()
    const rig = smallRig(store, { responses: [text, text, text], root })
    const [first, second] = [await rig.newSession(), await rig.newSession()]
    await first.submit('one').result()
    await tick()
    await second.submit('two').result()
    await tick()
    await first.submit('three').result()

    const sessions = await rig.sessions()

    expect(sessions.map(({ id, title }) => [id, title])).toEqual([
      [first.id, 'one'],
      [second.id, 'two'],
    ])
    expect(sessions[0]?.workspace).toBe(realpathSync(root))
    expect(sessions[0]?.lastActiveAt).toBe((await store.ledger.find(first.id))?.at)
    await Promise.all([first.shutdown(), second.shutdown()])
  })

  it('leaves out what other programs keep in the store', async () => {
    const store = kind.open()
    for (const head of ['{}', 'text', '{"v":2,"workspace":"","title":"t","status":"idle"}']) {
      const session = `other-${head.length}`
      const lease = await store.leases.acquire(session)
      await store.ledger.append({ session, epoch: lease.epoch, records: [newRecord('x')], head })
      await lease.release()
    }

    expect(await listSessions(store)).toEqual([])
  })
})
