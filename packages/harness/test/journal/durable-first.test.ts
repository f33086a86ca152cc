import { describe, expect, it } from 'vitest'
import { faultyStore, recordSession } from '../../src/testing.ts'
import { act, actTool, smallRig } from './small-rig.ts'
import { readRecords, storeKinds } from './stores.ts'

const responses = [act, { text: 'Done.' }]

describe.each(storeKinds)('a session on $name', (kind) => {
  it('shows nobody an event that the store does not have', async () => {
    const store = kind.open()
    const session = await smallRig(store, { responses, tools: [actTool(() => undefined)] }).newSession()
    const subscription = session.subscribe({ since: 0 })

    await session.submit('go').result()
    const ended = session.shutdown()
    let seen = 0
    for await (const { seq, event } of subscription) {
      if (seq === null) continue
      const [record] = await store.ledger.read({ session: session.id, after: seq - 1, limit: 1 })
      expect(record).toMatchObject({ seq, id: 'eventId' in event && event.eventId })
      seen += 1
    }

    await ended
    expect(seen).toBe((await readRecords(store, session.id)).filter((record) => record.kind === 'event').length)
  })

  it('shows and changes nothing while the append is on its way', async () => {
    const observed: unknown[] = []
    const store = faultyStore(kind.open(), (number) => ({
      kind: 'hooked',
      before: observe,
      after: () => observe(number),
    }))
    const session = await smallRig(store, { responses, tools: [actTool(() => undefined)] }).newSession()
    const recording = recordSession(session)
    function observe(number?: number) {
      if (store.appends.length === 1) return
      const group = store.appends.at(-1)?.records.map((record) => record.body) ?? []
      const shown = recording.deliveries.some(({ seq }) => seq !== null && seq > durable)
      const known = session.history().map((message) => JSON.stringify(message))
      observed.push(shown, ...known.filter((message) => group.some((body) => body.includes(message))))
      if (number !== undefined) durable += group.length
    }
    let durable = 2

    await session.submit('go').result()
    await session.shutdown()

    expect(store.appends.length).toBe(5)
    expect(observed).toEqual(Array(8).fill(false))
  })

  it('settles `accepted` and `result` after their records', async () => {
    const store = kind.open()
    const session = await smallRig(store, { responses: [{ text: 'Hi.' }] }).newSession()
    const ids = async () => (await readRecords(store, session.id)).map((record) => record.id)
    const submission = session.submit('go')

    await submission.accepted
    expect(await ids()).toContain(`in/${submission.inputId}`)

    const { turnId } = await submission.result()
    expect(await ids()).toContain(`turn/${turnId}/end`)
    await session.shutdown()
  })

  it('starts no effect before its `run` record', async () => {
    const store = kind.open()
    let kinds: readonly string[] = []
    const look = async () => {
      kinds = (await readRecords(store, session.id)).map((record) => record.kind)
    }
    const session = await smallRig(store, { responses, tools: [actTool(look)] }).newSession()

    await session.submit('go').result()

    expect(kinds.slice(-3)).toEqual(['step', 'run', 'event'])
    await session.shutdown()
  })
})
