import { createRequire } from 'node:module'
import { join } from 'node:path'
import { textOf } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineLoop, defineRig } from '../../src/index.ts'
import { strictClient } from '../../src/testing.ts'
import { openSqlite, readRecords, storeKinds, tempFolder } from '../journal/stores.ts'
import { damageRecord } from '../restore/damage-record.ts'
import { resultTexts } from '../session/open-session.ts'

const odd = `NUL \u0000, half \ud83d, other half \udc00, sep \u2028, whole \u{1f600}`
const large = `${odd} ${'x'.repeat(3_500_000)}`

function rigOf(store: Store) {
  const odds = defineTool({
    name: 'odds',
    description: 'Gives an odd text.',
    pure: true,
    inputSchema: z.strictObject({ value: z.string() }),
    run: ({ value }) => textResult(`${value} ${odd}`),
  })
  // a tool takes no half of a character, and a call's id may hold one
  const says = [{ toolCalls: [{ id: odd, name: 'odds', input: { value: odd.toWellFormed() } }] }, { text: odd }]
  const client = strictClient(scriptedClient(says))
  const loop = defineLoop({ name: 'main', client, model: { provider: 'scripted', name: 'm' }, tools: [odds] })
  return defineRig({ loops: [loop], store })
}

async function oddSession(store: Store) {
  const session = await rigOf(store).newSession()
  const { status } = await session.submit(large).result()
  const history = session.history()
  await session.shutdown()
  return { id: session.id, status, history }
}

describe.each(storeKinds)('odd texts on $name (38)', ({ open }) => {
  it('are the same after a restore: of an input of megabytes, a call, a result and an answer', async () => {
    const store = open()
    const { id, status, history } = await oddSession(store)

    const restored = await rigOf(store).restoreSession(id)
    const again = restored.history()
    await restored.shutdown()

    expect(status).toBe('done')
    expect(textOf(history[0]?.blocks ?? []) === large).toBe(true)
    expect(resultTexts(history)[0]).toContain('NUL \u0000')
    // a result reaches providers, which take no half of a character
    expect(resultTexts(history)[0]?.isWellFormed?.() ?? true).toBe(true)
    expect(JSON.stringify(again) === JSON.stringify(history)).toBe(true)
    const bodies = (await readRecords(store, id)).map(({ body }) => Buffer.byteLength(body))
    expect(Math.max(...bodies)).toBeGreaterThan(3_500_000)
  })
})

describe('one flipped byte of a journal in a file (38)', () => {
  it.each([
    [
      'in a row',
      "UPDATE records SET body = replace(body, '\"odds\"', '\"adds\"') WHERE session = ? AND body LIKE '%StepDone%odds%'",
    ],
    ['in a large body', "UPDATE contents SET body = replace(body, 'NUL', 'NIL') WHERE session = ?"],
  ])('%s is refused, and the record is named', async (_, statement) => {
    const folder = tempFolder()
    const store = openSqlite(folder)
    const { id } = await oddSession(store)
    const whole = await readRecords(store, id)
    damageRecord(folder, statement, id)
    const damaged = changedSeqs(
      folder,
      id,
      whole.map(({ body }) => body),
    )

    const refused = await rigOf(store)
      .restoreSession(id)
      .catch((error: unknown) => error)

    expect(damaged.length).toBeGreaterThan(0)
    expect(refused).toMatchObject({ name: 'StoreError', code: 'corrupt', seq: damaged[0] })
    expect(await store.leases.isHeld(id)).toBe(false)
  })
})

/** The seqs whose body in the file is another than it was. */
function changedSeqs(folder: string, session: string, bodies: readonly string[]): readonly number[] {
  interface Rows {
    prepare(sql: string): { all(session: string): readonly { readonly seq: number; readonly body: string }[] }
    close(): void
  }
  const ofStore = createRequire(new URL('../../../store/src/sqlite.ts', import.meta.url))
  const Database: new (path: string) => Rows = ofStore('libsql')
  const connection = new Database(join(folder, 'sessions.db'))
  const sql = `SELECT r.seq AS seq, coalesce(r.body, c.body) AS body FROM records r
    LEFT JOIN contents c ON c.session = r.session AND c.seq = r.seq WHERE r.session = ? ORDER BY r.seq`
  const rows = connection.prepare(sql).all(session)
  connection.close()
  return rows.filter(({ seq, body }) => body !== bodies[seq - 1]).map(({ seq }) => seq)
}
