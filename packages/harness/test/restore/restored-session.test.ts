import type { GateId, InputId } from '@looprig/core'
import type { ScriptedResponse } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/index.ts'
import { recordSession } from '../../src/testing.ts'
import { aborted, act, actTool, smallRig } from '../journal/small-rig.ts'
import { readRecords, storeKinds } from '../journal/stores.ts'
import { eventsOf, readBodies } from './journal-invariants.ts'

const inputId = (n: number) => `22222222-0000-7000-8000-00000000000${n}` as InputId
const text = (said: string): ScriptedResponse => ({ text: said })
const failing: ScriptedResponse = { text: 'It beg', error: { code: 'overloaded', afterText: true } }

function rigOn(store: Store, seed: number, responses: readonly ScriptedResponse[] = []) {
  return smallRig(store, { responses, seed, tools: [actTool(aborted)] })
}

/** A session with a turn that runs until it is stopped, and `queued` inputs behind it. */
async function busySession(store: Store, queued: number): Promise<Session> {
  const session = await rigOn(store, 0, [act]).newSession()
  const recording = recordSession(session)
  session.submit('busy', { inputId: inputId(0) })
  await recording.waitFor('ToolCallStarted')
  for (let n = 1; n <= queued; n += 1) await session.submit(`queued ${n}`, { inputId: inputId(n) }).accepted
  return session
}

function openGateOf(session: Session): GateId {
  const [gate] = session.gates()
  if (gate === undefined) throw new Error('no gate is open')
  return gate.gateId
}

describe.each(storeKinds)('a restored session on $name', (kind) => {
  it('tells the outcome of an earlier input to who sends it again', async () => {
    const store = kind.open()
    const first = await rigOn(store, 0, [text('Hi.'), act, failing]).newSession()
    const recording = recordSession(first)
    const outcomes = [await first.submit('one', { inputId: inputId(1) }).result()]
    const second = first.submit('two', { inputId: inputId(2) })
    await recording.waitFor('ToolCallStarted')
    const rest = [3, 4].map((n) => first.submit('more', { inputId: inputId(n) }))
    await first.interrupt()
    for (const submission of [second, ...rest]) outcomes.push(await submission.result())
    await first.shutdown()
    const tip = (await readRecords(store, first.id)).length

    const restored = await rigOn(store, 1).restoreSession(first.id)
    const again = ['one', 'two', 'more', 'more'].map((said, n) => restored.submit(said, { inputId: inputId(n + 1) }))

    expect(outcomes.map(({ status }) => status)).toEqual(['done', 'interrupted', 'failed', 'cancelled'])
    expect(await Promise.all(again.map((submission) => submission.result()))).toEqual(outcomes)
    await restored.shutdown()
    expect(await readRecords(store, first.id)).toHaveLength(tip)
  })

  it('refuses another input under the id of an earlier one', async () => {
    const store = kind.open()
    const first = await rigOn(store, 0, [text('Hi.')]).newSession()
    await first.submit('one', { inputId: inputId(1) }).result()
    await first.shutdown()
    const restored = await rigOn(store, 1).restoreSession(first.id)

    const conflict = restored.submit('another', { inputId: inputId(1) })

    expect(await conflict.result()).toMatchObject({ status: 'rejected', error: { code: 'input_conflict' } })
    await restored.shutdown()
  })

  it('runs what was queued, in order, and what comes then behind it', async () => {
    const store = kind.open()
    const parked = await busySession(store, 2)
    await parked.shutdown()

    const restored = await rigOn(store, 1, ['a', 'b', 'c'].map(text)).restoreSession(parked.id)
    const last = restored.submit('last', { inputId: inputId(3) })
    const results = await Promise.all(
      [1, 2].map((n) => restored.submit(`queued ${n}`, { inputId: inputId(n) }).result()),
    )

    expect([...results, await last.result()].map((result) => result.text)).toEqual(['a', 'b', 'c'])
    const turns = (await readRecords(store, parked.id)).map(({ body }) => JSON.parse(body).turnIndex ?? 0)
    expect(Math.max(...turns)).toBe(4)
    await restored.shutdown()
  })

  it('settles what waits as waiting when it is parked, and keeps it', async () => {
    const store = kind.open()
    const parked = await busySession(store, 1)
    const queued = parked.submit('queued 1', { inputId: inputId(1) })

    await parked.shutdown()

    expect((await queued.result()).status).toBe('waiting')
    const ids = (await readRecords(store, parked.id)).map((record) => record.id)
    expect(ids).toContain(`in/${inputId(1)}`)
    expect(ids).not.toContain(`in/${inputId(1)}/end`)
  })

  it('keeps the gates that were open; what is approved then runs once', async () => {
    const store = kind.open()
    let effects = 0
    const tools = [
      actTool(() => {
        effects += 1
      }),
    ]
    const options = { tools, says: 'ask' } as const
    const parked = await smallRig(store, { ...options, responses: [act] }).newSession()
    parked.submit('go')
    await parked.waitIdle({ orWaiting: true })
    const gateId = openGateOf(parked)
    await parked.shutdown()

    const restored = await smallRig(store, { ...options, seed: 1, responses: [text('Done.')] }).restoreSession(
      parked.id,
    )

    expect(restored.gates().map((gate) => gate.gateId)).toEqual([gateId])
    await restored.answer(gateId, { action: 'approve' })
    expect(await restored.waitIdle()).toBe('idle')
    expect(effects).toBe(1)
    expect(eventsOf(readBodies(await readRecords(store, parked.id)), 'TurnDone')).toHaveLength(1)
    await restored.shutdown()
  })

  it('knows the answers that gates were given', async () => {
    const store = kind.open()
    const options = { tools: [actTool(() => undefined)], says: 'ask' } as const
    const first = await smallRig(store, { ...options, responses: [act, text('Done.')] }).newSession()
    const result = first.submit('go').result()
    await first.waitIdle({ orWaiting: true })
    const gateId = openGateOf(first)
    await first.answer(gateId, { action: 'deny' })
    await result
    await first.shutdown()

    const restored = await smallRig(store, { ...options, seed: 1 }).restoreSession(first.id)

    await restored.answer(gateId, { action: 'deny' })
    const other = restored.answer(gateId, { action: 'approve' })
    await expect(other).rejects.toMatchObject({ code: 'already_resolved', action: 'deny' })
    await restored.shutdown()
  })

  it('replays all that was said, and goes on with the next seq', async () => {
    const store = kind.open()
    const first = await rigOn(store, 0, [text('Hi.')]).newSession()
    const live = recordSession(first, { since: 0, filter: { class: 'enduring' } })
    await first.submit('one').result()
    await first.shutdown()
    await live.ended

    const restored = await rigOn(store, 1, [text('Ho.')]).restoreSession(first.id)
    const replayed = recordSession(restored, { since: 0, filter: { class: 'enduring' } })
    await restored.submit('two').result()
    await restored.shutdown()
    await replayed.ended

    expect(replayed.deliveries.slice(0, live.deliveries.length)).toEqual(live.deliveries)
    const next = replayed.deliveries[live.deliveries.length]
    expect(next).toMatchObject({ event: { type: 'TurnStarted', turnIndex: 2 } })
    expect(next?.seq).toBe((await readRecords(store, first.id)).findIndex(({ body }) => body.includes('"two"')) + 2)
  })

  it('has every text as it was: NUL, half a character, five megabytes', async () => {
    const store = kind.open()
    const input = `\u0000\ud83d${'x'.repeat(3_000_000)}`
    const first = await rigOn(store, 0, [text(`\u0000\ud83d${'y'.repeat(500_000)}`)]).newSession()
    await first.submit(input).result()
    const history = first.history()
    await first.shutdown()

    const restored = await rigOn(store, 1).restoreSession(first.id)

    expect(JSON.stringify(restored.history())).toBe(JSON.stringify(history))
    expect(history[0]?.blocks).toEqual([{ type: 'text', text: input }])
    await restored.shutdown()
  })
})
