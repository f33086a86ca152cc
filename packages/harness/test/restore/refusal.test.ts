import { mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionId } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import type { Ledger, NewRecord, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { newRecord } from '@looprig/store/testing'
import { defineTool, type ToolDefinition, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineLoop, defineRig, LeaseHeldError, RestoreRejectedError, type Rig } from '../../src/index.ts'
import { countingIds } from '../../src/testing.ts'
import { openSqlite, storeKinds, tempFolder } from '../journal/stores.ts'
import { damageRecord } from './damage-record.ts'

interface RigChange {
  readonly store: Store
  readonly loops?: readonly string[]
  readonly model?: string
  readonly system?: string
  readonly tools?: readonly ToolDefinition[]
  readonly root?: string
  readonly seed?: number
}

function tool(name: string, inputSchema: z.ZodType = z.strictObject({})) {
  return defineTool({ name, description: name, pure: true, inputSchema, run: () => textResult('ok') })
}

function makeRig(change: RigChange): Rig {
  const { store, loops = ['main'], model = 'm', system = 'Be brief.', tools = [tool('look')], root, seed = 0 } = change
  const definitions = loops.map((name) =>
    defineLoop({
      name,
      system,
      model: { provider: 'p', name: model },
      tools,
      client: scriptedClient([{ text: 'Hi.' }, { text: 'Hi.' }]),
    }),
  )
  const workspace = root === undefined ? undefined : { root }
  return defineRig({ loops: definitions, store, workspace, ids: countingIds(seed) })
}

/** A session with one turn, which was shut down. */
async function parkedSession(store: Store, change: Omit<RigChange, 'store'> = {}): Promise<SessionId> {
  const session = await makeRig({ store, ...change }).newSession()
  await session.submit('go').result()
  await session.shutdown()
  return session.id
}

/** Asserts that a refused restore left the journal as it was and that the next one is free to try. */
async function expectUntouched(store: Store, id: SessionId, tip: number): Promise<void> {
  expect((await store.ledger.find(id))?.tip).toBe(tip)
  expect(await store.leases.isHeld(id)).toBe(false)
}

describe.each(storeKinds)('restoreSession on $name', (kind) => {
  it('refuses a session that another owner holds', async () => {
    const store = kind.open()
    const owner = await makeRig({ store }).newSession()

    const refused = await makeRig({ store, seed: 1 })
      .restoreSession(owner.id)
      .catch((error: unknown) => error)

    expect(refused).toBeInstanceOf(LeaseHeldError)
    expect(refused).toMatchObject({ code: 'lease_held', sessionId: owner.id })
    expect((await owner.submit('go').result()).status).toBe('done')
    await owner.shutdown()
  })

  it.each(['', 'made'])('refuses a session that was never written; lease %j', async (lease) => {
    const store = kind.open()
    const id = '00000000-0000-7000-8000-00000000ffff' as SessionId
    if (lease === 'made') await (await store.leases.acquire(id)).release()

    const refused = makeRig({ store }).restoreSession(id)

    await expect(refused).rejects.toMatchObject({ name: 'SessionError', code: 'session_not_found' })
    expect((await store.ledger.find(id))?.tip).toBe(lease === 'made' ? 0 : undefined)
  })

  it('gives the session to exactly one of many who restore it at once', async () => {
    const store = kind.open()
    const id = await parkedSession(store)

    const attempts = await Promise.allSettled(
      [1, 2, 3, 4, 5, 6].map((seed) => makeRig({ store, seed }).restoreSession(id)),
    )

    const won = attempts.filter((attempt) => attempt.status === 'fulfilled')
    const lost = attempts.filter((attempt) => attempt.status === 'rejected')
    expect(won).toHaveLength(1)
    expect(lost.map((attempt) => attempt.reason.code)).toEqual(Array(5).fill('lease_held'))
    for (const { value } of won) {
      expect((await value.submit('again').result()).status).toBe('done')
      await value.shutdown()
    }
  })
})

describe('restoreSession with another configuration', () => {
  const look = tool('look', z.strictObject({ path: z.string() }))

  it.each<readonly [string, Omit<RigChange, 'store'>, readonly string[]]>([
    ['a tool that is gone', { tools: [] }, ['loops.main.tools.look']],
    ['a tool of another name', { tools: [tool('peek')] }, ['loops.main.tools.look', 'loops.main.tools.peek']],
    ['a tool with other arguments', { tools: [look] }, ['loops.main.tools.look']],
    ['a loop of another name', { loops: ['other'] }, ['loops.main', 'loops.other']],
    ['both', { loops: ['main', 'more'], tools: [] }, ['loops.more', 'loops.main.tools.look']],
  ])('refuses %s, by name', async (_, change, fields) => {
    const store = openSqlite(tempFolder())
    const id = await parkedSession(store)

    const refused = await makeRig({ store, seed: 1, ...change })
      .restoreSession(id)
      .catch((error: unknown) => error)

    expect(refused).toBeInstanceOf(RestoreRejectedError)
    expect(refused).toMatchObject({ code: 'restore_rejected', changes: fields.map((field) => ({ field })) })
    for (const field of fields) expect(String(refused)).toContain(field)
    await expectUntouched(store, id, 9)
  })

  it('refuses another workspace, and takes the same one by another name', async () => {
    const store = openSqlite(tempFolder())
    const [root, other] = [tempFolder(), tempFolder()]
    const id = await parkedSession(store, { root })

    const refused = await makeRig({ store, seed: 1, root: other })
      .restoreSession(id)
      .catch((error: unknown) => error)
    const without = await makeRig({ store, seed: 2 })
      .restoreSession(id)
      .catch((error: unknown) => error)

    const [recorded, present] = [realpathSync(root), realpathSync(other)]
    expect(refused).toMatchObject({ changes: [{ field: 'workspace', recorded, present }] })
    expect(without).toMatchObject({ changes: [{ field: 'workspace', recorded, present: '' }] })
    expect(String(refused)).not.toContain(recorded)
    const link = join(mkdtempSync(join(other, 'x')), 'link')
    symlinkSync(root, link)
    await (await makeRig({ store, seed: 3, root: link }).restoreSession(id)).shutdown()
  })

  it('refuses a workspace that is gone', async () => {
    const store = openSqlite(tempFolder())
    const id = await parkedSession(store, { root: tempFolder() })

    const refused = makeRig({ store, seed: 1, root: join(tempFolder(), 'gone') }).restoreSession(id)

    await expect(refused).rejects.toMatchObject({ code: 'definition_invalid', field: 'workspace.root' })
    await expectUntouched(store, id, 9)
  })

  it('takes another model and another system text', async () => {
    const store = openSqlite(tempFolder())
    const id = await parkedSession(store)

    const session = await makeRig({ store, seed: 1, model: 'other', system: 'Be long.' }).restoreSession(id)

    expect((await session.submit('again').result()).status).toBe('done')
    await session.shutdown()
  })
})

/** A record that no harness of this version writes. */
function foreign(body: string, id = 'x', kind: NewRecord['kind'] = 'event'): NewRecord {
  return newRecord(id, body, kind)
}

const uuid = '00000000-0000-7000-8000-00000000cccc'

describe.each(storeKinds)('restoreSession of a damaged journal on $name', (kind) => {
  it.each<readonly [string, NewRecord, string]>([
    ['an event type that it does not know', foreign('{"v":1,"type":"Later"}'), 'unknown_event'],
    ['a newer version', foreign('{"v":2,"type":"SessionIdle"}'), 'unsupported_version'],
    ['a newer private record', foreign('{"v":2}', `run/${uuid}`, 'run'), 'unsupported_version'],
    ['text that is no JSON', foreign('{'), 'journal_invalid'],
    ['an event without a member', foreign('{"v":1,"type":"LoopIdle"}'), 'journal_invalid'],
    [
      'a loop that did not start',
      foreign(
        `{"v":1,"type":"TurnInterrupted","loopId":"${uuid}","turnId":"${uuid}","inputId":"${uuid}","turnIndex":1}`,
      ),
      'journal_invalid',
    ],
    ['a step without calls', foreign('{"v":1}', `step/${uuid}`, 'step'), 'journal_invalid'],
    ['an input of nobody', foreign('{"v":1,"agency":"machine"}', `in/${uuid}`, 'input'), 'journal_invalid'],
  ])('refuses %s, naming the record', async (_, record, code) => {
    const store = kind.open()
    const id = await parkedSession(store)
    const lease = await store.leases.acquire(id)
    await store.ledger.append({ session: id, epoch: lease.epoch, records: [record] })
    await lease.release()

    for (const seed of [1, 2]) {
      const refused = makeRig({ store, seed }).restoreSession(id)
      await expect(refused).rejects.toMatchObject({ name: 'JournalError', code, seq: 10 })
      await expectUntouched(store, id, 10)
    }
  })
})

describe('restoreSession of a damaged file', () => {
  it('refuses a body that does not fit its digest, naming the record', async () => {
    const folder = tempFolder()
    const store = openSqlite(folder)
    const id = await parkedSession(store)
    damageRecord(folder, `UPDATE records SET body = replace(body, 'Hi.', 'Ho.') WHERE session = ? AND seq = 6`, id)

    for (const seed of [1, 2]) {
      const refused = makeRig({ store, seed }).restoreSession(id)
      await expect(refused).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt', seq: 6 })
      await expectUntouched(store, id, 9)
    }
  })

  it.each([
    ['in the middle', 'DELETE FROM records WHERE session = ? AND seq = 6', 6],
    ['at the start', 'DELETE FROM records WHERE session = ? AND seq = 1', 1],
    ['at the end', 'DELETE FROM records WHERE session = ? AND seq >= 9', 9],
  ])('refuses a journal with a record missing %s', async (_, statement, seq) => {
    const folder = tempFolder()
    const store = openSqlite(folder)
    const id = await parkedSession(store)
    damageRecord(folder, statement, id)

    for (const seed of [1, 2]) {
      const refused = makeRig({ store, seed }).restoreSession(id)
      await expect(refused).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt', seq })
      await expectUntouched(store, id, 9)
    }
  })

  it.each([
    [1, 2],
    [6, 7],
    [9, 9],
  ])('refuses a store that skips record %i', async (missing, seq) => {
    const store = memoryStore()
    const id = await parkedSession(store)
    const { ledger } = store
    const read: Ledger['read'] = async (request) =>
      (await ledger.read(request)).filter((record) => record.seq !== missing)
    const skipping = {
      append: ledger.append.bind(ledger),
      find: ledger.find.bind(ledger),
      list: ledger.list.bind(ledger),
      now: ledger.now.bind(ledger),
      watch: ledger.watch.bind(ledger),
    }

    const refused = makeRig({ store: { ...store, ledger: { ...skipping, read } }, seed: 1 }).restoreSession(id)

    await expect(refused).rejects.toMatchObject({ name: 'JournalError', code: 'journal_invalid', seq })
    await expectUntouched(store, id, 9)
  })
})
