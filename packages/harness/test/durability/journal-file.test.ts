import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionId } from '@looprig/core'
import { type Store, StoreError } from '@looprig/store'
import { sqliteStore } from '@looprig/store/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { readRecords, tempFolder } from '../journal/stores.ts'
import { expectWhole, readBodies } from '../restore/journal-invariants.ts'
import { acts, durableRig } from './durable-rig.ts'
import { bundleOwner, startOwner } from './owner-child.ts'

/** A file and its log as a killed owner left them, with what it had committed. */
interface Left {
  readonly id: SessionId
  readonly database: Buffer
  readonly log: Buffer
  readonly bodies: readonly string[]
}

let left: Left

beforeAll(async () => {
  const script = await bundleOwner(tempFolder())
  const folder = tempFolder()
  const says = [acts(['a', 'b']), { text: 'Done.' }, { text: 'Again.' }]
  const owner = startOwner(script, folder, { says })
  const id = await owner.newSession()
  for (const text of ['one', 'two']) {
    owner.say({ do: 'submit', text })
    await owner.untilEvent('SessionIdle')
  }
  owner.kill('SIGKILL')
  await owner.exited()
  const files = ['sessions.db', 'sessions.db-wal'].map((name) => readFileSync(join(folder, name)))
  const [database = Buffer.alloc(0), log = Buffer.alloc(0)] = files
  const store = openFolder(database, log)
  left = { id, database, log, bodies: (await readRecords(store, id)).map(({ body }) => body) }
  await store.close()
})

function openFolder(database: Buffer, log: Buffer): Store {
  const folder = tempFolder()
  writeFileSync(join(folder, 'sessions.db'), database)
  writeFileSync(join(folder, 'sessions.db-wal'), log)
  return sqliteStore({ path: join(folder, 'sessions.db') })
}

/** What a restore finds of the journal: nothing but a prefix of what was committed, or a refusal that is typed. */
async function tryRestore(log: Buffer): Promise<number | 'refused'> {
  let store: Store | undefined
  try {
    store = openFolder(left.database, log)
    const found = await store.ledger.find(left.id)
    if (found === undefined || found.tip === 0) return 0
    const records = (await readRecords(store, left.id)).map(({ body }) => body)
    expect(records).toEqual(left.bodies.slice(0, records.length))
    const folder = tempFolder()
    const session = await durableRig(store, { folder }, { says: [{ text: 'More.' }] }).restoreSession(left.id)
    const { status } = await session.submit('three').result()
    await session.shutdown()
    const after = readBodies(await readRecords(store, left.id))
    expect(status).toBe('done')
    expectWhole(after)
    await (await durableRig(store, { folder }).restoreSession(left.id)).shutdown()
    expect(readBodies(await readRecords(store, left.id))).toEqual(after)
    return records.length
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return 'refused'
  } finally {
    await store?.close()
  }
}

const pageBytes = 4_096
const frameBytes = pageBytes + 24
const logHeaderBytes = 32

describe('the log of a session file (I1, I2)', () => {
  it('cut anywhere in its last commits gives whole records up to there, and takes what comes then', async () => {
    const tips: (number | 'refused')[] = []
    const frames = (left.log.length - logHeaderBytes) / frameBytes
    expect(Number.isInteger(frames)).toBe(true)
    for (let frame = Math.max(0, frames - 12); frame <= frames; frame += 1) {
      const start = logHeaderBytes + frame * frameBytes
      for (const at of [start - 1, start, start + 1, start + 23, start + 24, start + 2_000]) {
        if (at >= 0 && at <= left.log.length) tips.push(await tryRestore(left.log.subarray(0, at)))
      }
    }

    expect(tips).not.toContain('refused')
    expect(tips).toEqual(tips.toSorted((a, b) => Number(a) - Number(b)))
    expect(tips.at(-1)).toBe(left.bodies.length)
    expect(new Set(tips).size).toBeGreaterThan(3)
  }, 60_000)

  it('with a flipped bit anywhere gives whole records up to there, or is refused', async () => {
    const outcomes = new Set<number | 'refused'>()
    for (let at = 7; at < left.log.length; at += Math.ceil(left.log.length / 40)) {
      const log = Buffer.from(left.log)
      log[at] = (log[at] ?? 0) ^ 0x10
      outcomes.add(await tryRestore(log))
    }

    expect(outcomes.size).toBeGreaterThan(1)
  }, 60_000)
})
