import { hash } from 'node:crypto'
import type { SessionId } from '@looprig/core'
import { isLooprigError } from '@looprig/core'
import type { Ledger, Store, StoredRecord } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeBody, decodeEventBody } from '../../src/event/event-codec.ts'
import { JournalError } from '../../src/index.ts'
import { readEntry } from '../../src/journal/read-journal.ts'
import { inputBodySchema, runBodySchema, runEndBodySchema, stepBodySchema } from '../../src/journal/record-body.ts'
import { SessionFold } from '../../src/restore/session-fold.ts'
import { countingIds } from '../../src/testing.ts'
import { goldenBodies } from '../event/golden-bodies.ts'
import { openSqlite, readRecords, tempFolder } from '../journal/stores.ts'
import { damageRecord } from '../restore/damage-record.ts'
import { driveRichSession, richRig } from '../restore/rich-session.ts'
import type { World } from '../restore/rich-tools.ts'

const world: World = {
  effect: () => undefined,
  pause: () => new Promise((resolve) => setTimeout(resolve, 90)),
}

/** The journal of a session with everything in it. */
let journal: readonly StoredRecord[] = []
let sessionId: SessionId

beforeAll(async () => {
  const store = memoryStore()
  const session = await richRig({ store, world, ids: countingIds(1) }).newSession()
  await driveRichSession(session)
  await session.shutdown()
  sessionId = session.id
  journal = await readRecords(store, sessionId)
})

/** A record with another body, and the digest of that: what a store says that did not notice. */
function withBody(record: StoredRecord, body: string): StoredRecord {
  return { ...record, body, digest: hash('sha256', body, 'hex') }
}

/** Reads one record by itself; `undefined` when that works, else its failure. */
function failureOf(record: StoredRecord): unknown {
  try {
    if (record.kind === 'event') decodeEventBody(record)
    else if (record.kind === 'input') decodeBody(record, inputBodySchema)
    else if (record.kind === 'step') decodeBody(record, stepBodySchema)
    else decodeBody(record, record.id.endsWith('/end') ? runEndBodySchema : runBodySchema)
    return undefined
  } catch (error) {
    return error
  }
}

/** One record of each kind of body that a journal can hold. */
function bodiesOfEachKind(): readonly StoredRecord[] {
  const events = Object.entries(goldenBodies).map(([type, body]): StoredRecord => {
    return { seq: 7, at: 0, id: `of ${type}`, kind: 'event', body, digest: '' }
  })
  const private_ = (['input', 'step', 'run'] as const).flatMap((kind) => {
    const found = journal.filter((record) => record.kind === kind)
    return [found.find(({ id }) => !id.endsWith('/end')), found.find(({ id }) => id.endsWith('/end'))]
  })
  return [...events, ...private_.filter((record) => record !== undefined)]
}

describe('a record whose body is cut, in a store that did not notice', () => {
  it('is refused at every byte, by its seq', () => {
    for (const record of bodiesOfEachKind()) {
      for (let end = 0; end < record.body.length; end += 1) {
        const failure = failureOf(withBody(record, record.body.slice(0, end)))
        expect(failure, `${record.id} cut at ${end}`).toBeInstanceOf(JournalError)
        expect((failure as JournalError).seq).toBe(record.seq)
      }
    }
  })
})

describe('a record with another byte, in a store that did not notice', () => {
  it.each([' ', '"', '{', '\ud83d'])('is another record, or refused by its seq: %j', (byte) => {
    for (const record of bodiesOfEachKind()) {
      for (let at = 0; at < record.body.length; at += 1) {
        const failure = failureOf(withBody(record, record.body.slice(0, at) + byte + record.body.slice(at + 1)))
        if (failure === undefined) continue
        expect(failure, `${record.id} at ${at}: ${String(failure)}`).toBeInstanceOf(JournalError)
        expect((failure as JournalError).seq).toBe(record.seq)
      }
    }
  })

  it('is folded with the others, or refused: nothing fails without a code', () => {
    let step = 0
    for (const [index, record] of journal.entries()) {
      for (let at = step % 61; at < record.body.length; at += 61) {
        step += 1
        const byte = record.body[at] === '1' ? '2' : '1'
        const changed = withBody(record, record.body.slice(0, at) + byte + record.body.slice(at + 1))
        const failure = foldFailure([...journal.slice(0, index), changed, ...journal.slice(index + 1)])
        if (failure === undefined) continue
        expect(failure, `record ${record.seq} at ${at}: ${String(failure)}`).toBeInstanceOf(JournalError)
      }
    }
    expect(step).toBeGreaterThan(500)
  })
})

function foldFailure(records: readonly StoredRecord[]): unknown {
  const fold = new SessionFold()
  try {
    for (const record of records) fold.take(readEntry(sessionId, record))
    return undefined
  } catch (error) {
    return error
  }
}

describe('restoreSession of a journal with one changed record', () => {
  it('takes it as it is or refuses it with a code, and then leaves all as it was', async () => {
    for (const [index, record] of journal.entries()) {
      const at = (record.seq * 37) % record.body.length
      const changed = withBody(record, `${record.body.slice(0, at)}1${record.body.slice(at + 1)}`)
      const store = await storeOf([...journal.slice(0, index), changed, ...journal.slice(index + 1)])
      const quick: World = { effect: () => undefined, pause: async () => undefined }

      const restored = await richRig({ store, world: quick, ids: countingIds(2) })
        .restoreSession(sessionId)
        .catch(Object)

      if (restored instanceof Error) {
        expect(isLooprigError(restored), `record ${record.seq}: ${String(restored)}`).toBe(true)
        expect((await store.ledger.find(sessionId))?.tip).toBe(journal.length)
        expect(await store.leases.isHeld(sessionId)).toBe(false)
        continue
      }
      // a change of an id may be found out only when its slot is wanted
      const failure = await restored.stop().catch((error: unknown) => error)
      if (failure !== undefined) expect(isLooprigError(failure), `record ${record.seq}: ${String(failure)}`).toBe(true)
    }
  })
})

async function storeOf(records: readonly StoredRecord[]): Promise<Store> {
  const store = memoryStore()
  const { epoch, release } = await store.leases.acquire(sessionId)
  const group = records.map(({ id, kind, body, digest }) => ({ id, kind, body, digest }))
  expect((await store.ledger.append({ session: sessionId, epoch, records: group })).outcome).toBe('ok')
  await release()
  return store
}

describe('restoreSession of a file with one damaged record', () => {
  it.each([
    ['cut', (at: number) => `substr(body, 1, ${at})`],
    ['with another byte', (at: number) => `substr(body, 1, ${at}) || '~' || substr(body, ${at + 2})`],
    ['without one byte', (at: number) => `substr(body, 1, ${at}) || substr(body, ${at + 2})`],
  ])('refuses each, %s, by its seq, and gives the records before it', async (_, damage) => {
    const folder = tempFolder()
    const store = openSqlite(folder)
    await write(store.ledger, (await store.leases.acquire(sessionId)).epoch)
    const rig = richRig({ store, world, ids: countingIds(3) })

    for (const { seq, body } of journal) {
      damageRecord(
        folder,
        `UPDATE records SET body = ${damage((seq * 53) % body.length)} WHERE session = ? AND seq = ${seq}`,
        sessionId,
      )
      await expect(rig.inspect(sessionId), `record ${seq}`).rejects.toMatchObject({
        name: 'StoreError',
        code: 'corrupt',
        seq,
      })
      const whole = seq === 1 ? [] : await store.ledger.read({ session: sessionId, after: 0, limit: seq - 1 })
      expect(whole).toHaveLength(seq - 1)
      damageRecord(
        folder,
        `UPDATE records SET body = '${body.replaceAll("'", "''")}' WHERE session = ? AND seq = ${seq}`,
        sessionId,
      )
    }
    expect((await rig.inspect(sessionId)).tip).toBe(journal.length)
  })
})

async function write(ledger: Ledger, epoch: number): Promise<void> {
  const records = journal.map(({ id, kind, body, digest }) => ({ id, kind, body, digest }))
  expect((await ledger.append({ session: sessionId, epoch, records })).outcome).toBe('ok')
}
