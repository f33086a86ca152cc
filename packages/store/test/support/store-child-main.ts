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

const roles: Readonly<Record<string, () => Promise<void>>> = { hold, ask, look, append }
await roles[role]?.()
