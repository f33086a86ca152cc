/** A process of its own that works on a store: `node <this> <role> <path> <session>`, answers as lines of JSON. */
import { sqliteStore } from '../../src/sqlite.ts'
import { newRecord } from '../../src/testing.ts'

const [role = '', path = '', session = ''] = process.argv.slice(2)
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

async function hold(): Promise<void> {
  const { epoch } = await sqliteStore({ path }).leases.acquire(session)
  tell({ epoch })
  setInterval(() => undefined, 60_000)
}

async function ask(): Promise<void> {
  const store = sqliteStore({ path })
  const code = await store.leases.acquire(session).then(
    () => 'acquired',
    (error: { code: string }) => error.code,
  )
  tell({ code })
  await store.close()
}

/** Looks for an owner as fast as it can until it is killed. */
async function look(): Promise<void> {
  const { leases } = sqliteStore({ path })
  for (let looks = 1; ; looks += 1) {
    await leases.isHeld(session)
    if (looks === 100) tell({ looks })
  }
}

/** Appends until it is killed, or 200 times; each line is written after its record was acknowledged. */
async function append(): Promise<void> {
  const store = sqliteStore({ path })
  const { epoch } = await store.leases.acquire(session)
  for (let count = 1; count <= 200; count += 1) {
    const id = `${epoch}/${count}`
    const answer = await store.ledger.append({ session, epoch, records: [newRecord(id), newRecord(`${id}/end`)] })
    tell(answer.outcome === 'ok' ? { id, seq: answer.records[0]?.seq } : answer)
  }
  await store.close()
}

/** Owns the session and ends every input that it sees, unless somebody else has, until it is killed. */
async function serve(): Promise<void> {
  const { ledger, leases } = sqliteStore({ path })
  const { epoch } = await leases.acquire(session)
  await ledger.append({ session, epoch, records: [newRecord('begun')] })
  tell({ epoch })
  setInterval(() => undefined, 60_000)
  let after = 1
  for await (const tip of ledger.watch({ session, after })) {
    while (after < tip) {
      for (const { seq, kind, id } of await ledger.read({ session, after, limit: 100 })) {
        after = seq
        if (kind === 'input') await ledger.append({ session, epoch, records: [newRecord(`${id}/end`, '"served"')] })
      }
    }
  }
}

/** Appends to 300 slots without an epoch and tells which it has got. */
async function race(): Promise<void> {
  const store = sqliteStore({ path })
  for (let slot = 1; slot <= 300; slot += 1) {
    const record = newRecord(`slot/${slot}`, JSON.stringify({ pid: process.pid }))
    tell({ slot, outcome: (await store.ledger.append({ session, records: [record] })).outcome })
  }
  await store.close()
}

/** Tells the first tip of a watch that is never left, and does nothing else. */
async function watch(): Promise<void> {
  const tips = sqliteStore({ path }).ledger.watch({ session, after: 0 })[Symbol.asyncIterator]()
  tell({ tip: (await tips.next()).value })
  void tips.next()
}

const roles: Readonly<Record<string, () => Promise<void>>> = { hold, ask, look, append, serve, race, watch }
await roles[role]?.()
