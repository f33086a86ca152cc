import { type Message, type SessionId, textOf } from '@looprig/core'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defineLoop, defineRig, type Event, headlessGate, type LoopOptions, type Session } from '../../src/index.ts'
import { transcriptFault } from '../../src/testing/transcript-fault.ts'
import { countingIds, faultFrom, faultyStore, recordSession, strictClient } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { allowing, delivered } from '../session/open-session.ts'
import {
  type Answer,
  contextClient,
  long,
  model,
  openContextSession,
  policy,
  used,
  workTool,
} from './context-session.ts'

/** A rig of the same loop over a store; `seed` keeps its ids from those of the rig before. */
function rigOver(
  store: Store,
  seed: number,
  options: Partial<LoopOptions> = {},
  answers: readonly Answer[] = [{ text: 'so' }],
) {
  const client = strictClient(contextClient(answers))
  const gate = headlessGate({ access: [allowing('allow')] })
  const loop = defineLoop({ name: 'main', client, model, gate, tools: [workTool()], context: policy, ...options })
  return defineRig({ loops: [loop], store, ids: countingIds(seed) })
}

async function viewOf(store: Store, id: SessionId, seed: number): Promise<readonly Message[]> {
  const session = await rigOver(store, seed).restoreSession(id)
  const history = session.history()
  await session.shutdown()
  return history
}

/** Copies the first records of a session into a store of its own: what a kill after them leaves. */
async function cutAfter(store: Store, id: SessionId, count: number): Promise<Store> {
  const cut = memoryStore()
  const records = (await readRecords(store, id)).slice(0, count)
  const lease = await cut.leases.acquire(id)
  const fresh = records.map(({ id: recordId, kind, body, digest }) => ({ id: recordId, kind, body, digest }))
  await cut.ledger.append({ session: id, epoch: lease.epoch, records: fresh, head: undefined })
  await lease.release()
  return cut
}

/** The transcript that a journal tells, worked out from its events alone. */
function replayed(events: readonly { readonly seq: number; readonly event: Event }[]): readonly Message[] {
  let view: { readonly seq: number; readonly messages: readonly Message[] }[] = []
  for (const { seq, event } of events) {
    if (event.type === 'TurnStarted' || event.type === 'TurnFoldedInto') view.push({ seq, messages: [event.message] })
    if (event.type === 'StepDone') view.push({ seq, messages: event.messages })
    if (event.type !== 'CompactionCommitted') continue
    const { tailFrom, summary } = event
    view = [{ seq: 0, messages: [summary] }, ...view.filter((part) => part.seq >= tailFrom)]
  }
  return view.flatMap(({ messages }) => messages)
}

async function enduring(session: Session) {
  const all = recordSession(session, { since: 0 })
  await session.waitIdle()
  await delivered()
  all.close()
  return all.deliveries.flatMap(({ seq, event }) => (seq === null ? [] : [{ seq, event }]))
}

describe('a restore after a compaction', () => {
  it('rebuilds from the summary, and the next request is the one that the live session would send', async () => {
    const { turn, session, store } = await openContextSession()
    await turn(long('a'))
    await turn('b')
    await session.compact()
    const live = session.history()
    await session.shutdown()

    expect(await viewOf(store, session.id, 2)).toEqual(live)
    expect(textOf(live[0]?.blocks ?? [])).toContain('<summary>')
  })

  it('leaves what was summarised readable', async () => {
    const { turn, session, rig } = await openContextSession({ answers: [{ text: 'first' }, { text: 'second' }] })
    await turn(long('a'))
    await turn('b')
    await session.compact()
    const events = await enduring(session)

    expect(
      events.flatMap(({ event }) => (event.type === 'StepDone' ? [textOf(event.messages[0].blocks)] : [])),
    ).toEqual(['first', 'second'])
    expect((await rig.inspect(session.id)).loops[0]?.history).toEqual(session.history())
  })

  it('keeps the summary when the policy is gone', async () => {
    const { turn, session, store } = await openContextSession()
    await turn(long('a'))
    await turn('b')
    await session.compact()
    const live = session.history()
    await session.shutdown()
    const restored = await rigOver(store, 2, { context: undefined }).restoreSession(session.id)

    expect(restored.history()).toEqual(live)
    await restored.shutdown()
  })

  it('measures anew: what was reported before the summary counts no more', async () => {
    const answers = [
      { text: 'so', usage: used(300) },
      { text: 'so', usage: used(2_000) },
    ]
    const { turn, session, store } = await openContextSession({ answers })
    await turn(long('a'))
    await turn('b')
    await session.compact()
    await session.shutdown()
    const restored = await rigOver(store, 2, { context: { ...policy, automatic: false } }).restoreSession(session.id)

    expect((await restored.submit('c').result()).status).toBe('done')
    await restored.shutdown()
  })

  it.each([
    ['after', { kind: 'unanswered' }, 3],
    ['before', { kind: 'refused' }, 4],
  ] as const)('sees a whole view when the process ends %s the append', async (_, fault, messages) => {
    const base = memoryStore()
    const session = await rigOver(faultyStore(base, faultFrom(6, fault)), 1).newSession()
    await session.submit(long('a')).result()
    await session.submit('b').result()
    session.compact().catch(() => undefined)
    for (let tick = 0; tick < 10; tick += 1) await delivered()
    const left = await cutAfter(base, session.id, Number.MAX_SAFE_INTEGER)
    const view = await viewOf(left, session.id, 2)

    expect(view).toHaveLength(messages)
    expect(textOf(view[0]?.blocks ?? []).includes('<summary>')).toBe(fault.kind === 'unanswered')
  })

  it('gives at every cut of the journal what its events tell', async () => {
    const { session, turn, store } = await openContextSession({
      tools: [workTool()],
      answers: [
        { text: 'so', usage: used(300) },
        { calls: ['1', '2'], usage: used(850) },
        { text: 'done', usage: used(200) },
        { calls: ['3'], usage: used(400) },
        { text: 'end', usage: used(850) },
      ],
    })
    for (const text of [long('a'), long('b'), 'c']) await turn(text)
    await session.compact()
    await turn('d')
    const events = await enduring(session)
    await session.shutdown()
    const total = (await readRecords(store, session.id)).length
    expect(events.filter(({ event }) => event.type === 'CompactionCommitted').length).toBeGreaterThan(1)

    for (let count = 2; count <= total; count += 1) {
      const cut = await cutAfter(store, session.id, count)
      const inspected = (await rigOver(cut, 2).inspect(session.id)).loops[0]?.history ?? []
      expect(inspected).toEqual(replayed(events.filter(({ seq }) => seq <= count)))
      const restored = await viewOf(cut, session.id, 2)
      expect(restored.slice(0, inspected.length)).toEqual(inspected)
      if (restored.length > 0) expect(transcriptFault([...restored, ...go])).toBeUndefined()
    }
  })

  it.each([
    ['another end', { through: 7 }],
    ['a tail that is not there', { tailFrom: 8 }],
  ])('refuses a compaction of another history (%s)', async (_, change) => {
    const { turn, session, store } = await openContextSession()
    await turn(long('a'))
    await turn('b')
    await session.compact()
    await session.shutdown()
    const records = await readRecords(store, session.id)
    const last = records.at(-1)
    const forged = JSON.stringify({ ...JSON.parse(last?.body ?? ''), ...change })
    const { hash } = await import('node:crypto')
    const base = await cutAfter(store, session.id, records.length - 1)
    const lease = await base.leases.acquire(session.id)
    const record = { id: 'forged', kind: 'event' as const, body: forged, digest: hash('sha256', forged, 'hex') }
    await base.ledger.append({ session: session.id, epoch: lease.epoch, records: [record], head: undefined })
    await lease.release()

    await expect(rigOver(base, 2).restoreSession(session.id)).rejects.toMatchObject({ code: 'journal_invalid' })
  })
})

const go: readonly Message[] = [{ role: 'user', blocks: [{ type: 'text', text: 'go on' }] }]

type Action = 'say' | 'say much' | 'work' | 'compact' | 'interrupt' | 'pause' | 'wait'

describe('fold of the journal', () => {
  it('is the live view after any interleaving of turns, folds, interrupts and compactions', async () => {
    const action = fc.constantFrom<Action>(
      'say',
      'say much',
      'say much',
      'work',
      'compact',
      'compact',
      'interrupt',
      'pause',
      'wait',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 4, maxLength: 16 }),
        fc.array(fc.integer({ min: 50, max: 1_100 }), { minLength: 3, maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        async (actions, sizes, keepRecentSegments) => {
          const store = memoryStore()
          const answers = sizes.flatMap((size, index): readonly Answer[] => [
            { text: long(`answer ${index}`, 60), usage: used(size) },
            { calls: [`${index}`], usage: used(size) },
          ])
          const rig = rigOver(store, 1, { context: { ...policy, keepRecentSegments } }, answers)
          const session = await rig.newSession()
          const recording = recordSession(session)
          const pending: Promise<unknown>[] = []
          for (const [index, next] of actions.entries()) pending.push(play(session, next, index))
          await Promise.all(pending)
          await session.waitIdle()
          const live = session.history()
          const events = await enduring(session)
          await session.shutdown()

          expect(await viewOf(store, session.id, 2)).toEqual(live)
          expect(replayed(events)).toEqual(live)
          if (live.length > 0) expect(transcriptFault([...live, ...go])).toBeUndefined()
          // every accepted input reached the model's view once, or was folded into a summary after it had
          const seen = recording.deliveries.flatMap(({ event }) =>
            event.type === 'TurnStarted' || event.type === 'TurnFoldedInto' ? [event.inputId] : [],
          )
          expect(new Set(seen).size).toBe(seen.length)
        },
      ),
      { numRuns: 60 },
    )
  })
})

async function play(session: Session, action: Action, index: number): Promise<void> {
  switch (action) {
    case 'say':
    case 'say much':
    case 'work': {
      const submission = session.submit(action === 'say' ? `say ${index}` : long(`${action} ${index}`, 200))
      await submission.result()
      return
    }
    case 'compact': {
      const result = await session.compact()
      expect(result.loopId).toBe(session.loopId)
      return
    }
    case 'interrupt':
      await session.interrupt()
      return
    case 'pause':
      await delivered()
      return
    case 'wait':
      await session.waitIdle()
  }
}
