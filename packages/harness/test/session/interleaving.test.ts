import type { Message, StreamEvent } from '@looprig/core'
import { textOf } from '@looprig/core'
import { InferenceError, type InferenceRequest } from '@looprig/inference'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EnduringEvent, interactiveGate, type Session, type Submission } from '../../src/index.ts'
import { recordSession } from '../../src/testing.ts'
import {
  allowing,
  callEvents,
  delivered,
  effectTool,
  openSession,
  streamingClient,
  textEvents,
} from './open-session.ts'

/** What one model response does. `work` runs at once, `ask` waits for a person. */
type Response = 'text' | 'work' | 'ask' | 'both' | 'fail' | 'break'

type Action =
  | { readonly do: 'submit'; readonly turn: readonly Response[]; readonly noFold: boolean }
  | { readonly do: 'interrupt' | 'read' | 'pause' }
  | { readonly do: 'cancel'; readonly back: number }
  | { readonly do: 'answer'; readonly action: 'approve' | 'deny' }

const response = fc.constantFrom<Response>('text', 'work', 'work', 'ask', 'both', 'fail', 'break')
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      turn: fc.array(response, { maxLength: 4 }),
      noFold: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('interrupt' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), back: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      action: fc.constantFrom('approve' as const, 'deny' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pause' as const) }) },
)

/** Plays the turn that its user message spells out; every call has a value that no other has. */
function playedClient() {
  let calls = 0
  const call = (name: string, blockIndex: number) => {
    calls += 1
    // the ids repeat on purpose
    return callEvents('id', name, JSON.stringify({ value: `${name}${calls}` }), blockIndex)
  }
  return streamingClient(async function* (_n, _signal, request): AsyncGenerator<StreamEvent, void, undefined> {
    const next = nextResponse(request)
    if (next === 'fail') throw new InferenceError('overloaded', 'too busy')
    yield* textEvents('so')
    await delivered()
    if (next === 'break') throw new InferenceError('network', 'lost')
    if (next === 'work' || next === 'both') for (const index of [1, 2]) yield* call('work', index)
    if (next === 'ask' || next === 'both') for (const index of [3, 4]) yield* call('ask', index)
    yield { type: 'finish', reason: 'stop' }
  })
}

function nextResponse({ messages }: InferenceRequest): Response {
  const start = messages.findLastIndex((message) => message.role === 'user')
  const turn = textOf(messages[start]?.blocks ?? []).split(' ')
  const done = messages.slice(start).filter((message) => message.role === 'assistant').length
  return (turn[done + 1] as Response | undefined) ?? 'text'
}

async function openPlayed() {
  const ran: string[] = []
  const tool = (name: string) =>
    effectTool(name, async (value) => {
      ran.push(value)
      for (let turns = value.length % 3; turns > 0; turns -= 1) await delivered()
    })
  const opened = await openSession({
    client: playedClient(),
    tools: [tool('work'), tool('ask')],
    gate: interactiveGate({ access: [allowing(({ match }) => (match.startsWith('ask') ? 'ask' : 'allow'))] }),
  })
  return { ...opened, ran }
}

async function perform(action: Action, session: Session, submissions: Submission[], slow: AsyncIterator<unknown>) {
  switch (action.do) {
    case 'submit':
      submissions.push(session.submit(['turn', ...action.turn].join(' '), { noFold: action.noFold }))
      return
    case 'interrupt':
      session.interrupt().catch(() => undefined)
      return
    case 'cancel': {
      const submission = submissions.at(-1 - action.back)
      if (submission !== undefined) session.cancel(submission.inputId).catch(() => undefined)
      return
    }
    case 'read':
      slow.next().catch(() => undefined)
      return
    case 'answer': {
      const [gate] = session.gates()
      if (gate !== undefined) await session.answer(gate.gateId, { action: action.action }).catch(() => undefined)
      return
    }
    case 'pause':
      await delivered()
  }
}

/** Denies what is still open until the session is idle. */
async function finish(session: Session): Promise<void> {
  while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
    for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'deny' })
  }
}

/** Checks that every call is followed by its results, in order and with nothing between. */
function expectPaired(history: readonly Message[]): number {
  let results = 0
  for (const [index, message] of history.entries()) {
    if (message.role !== 'assistant') continue
    const ids = message.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    const after = history.slice(index + 1, index + 1 + ids.length)
    expect(after.map((result) => (result.role === 'tool' ? result.toolUseId : result.role))).toEqual(ids)
    results += ids.length
  }
  return results
}

function expectOneTerminalPerTurn(events: readonly EnduringEvent[]): void {
  const open = new Set<string>()
  for (const event of events) {
    if (event.type === 'TurnStarted') {
      expect(open.size).toBe(0)
      open.add(event.turnId)
    }
    if (event.type === 'StepDone') expect(open.has(event.turnId)).toBe(true)
    if (event.type === 'TurnDone' || event.type === 'TurnFailed' || event.type === 'TurnInterrupted') {
      expect(open.delete(event.turnId)).toBe(true)
    }
  }
  expect(open.size).toBe(0)
}

describe('a session under any interleaving', () => {
  it('resolves each input once, ends each turn once and pairs each call with one result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
        const { session, ran } = await openPlayed()
        const slow = session.subscribe()
        const submissions: Submission[] = []

        for (const each of actions) await perform(each, session, submissions, slow)
        await finish(session)
        const results = await Promise.all(submissions.map((submission) => submission.result()))

        for (const { status } of results) expect(['done', 'failed', 'interrupted', 'cancelled']).toContain(status)
        await expectSound(session, ran, submissions)
      }),
      { numRuns: 200 },
    )
  })

  it('does so across a shutdown at any moment and a restore', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
        const { session, rig, ran } = await openPlayed()
        const submissions: Submission[] = []

        for (const each of actions) await perform(each, session, submissions, session.subscribe())
        await session.shutdown()
        const results = await Promise.all(submissions.map((submission) => submission.result()))
        const restored = await rig.restoreSession(session.id)
        await finish(restored)

        const accepted = submissions.filter((_, index) => results[index]?.status !== 'rejected')
        await expectSound(restored, ran, accepted)
      }),
      { numRuns: 100 },
    )
  })
})

describe('a session that is stopped at any moment', () => {
  it('has resolved each accepted input once, ends with SessionStopped and is never restored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 20 }), fc.nat(20), async (actions, ticks) => {
        const { session, rig, ran } = await openPlayed()
        const submissions: Submission[] = []

        for (const each of actions) await perform(each, session, submissions, session.subscribe())
        for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
        await Promise.all([session.stop(), session.stop()])
        const results = await Promise.all(submissions.map((submission) => submission.result()))

        const accepted = submissions.filter((_, index) => results[index]?.status !== 'rejected')
        for (const { status } of results) expect(status).not.toBe('waiting')
        const events = await expectSound(session, ran, accepted)
        expect(events.map(({ type }) => type).indexOf('SessionStopped')).toBe(events.length - 1)
        await expect(rig.restoreSession(session.id)).rejects.toMatchObject({ code: 'session_stopped' })
      }),
      { numRuns: 150 },
    )
  })
})

/** Checks an idle session against its journal, and shuts it down; gives its events. */
async function expectSound(
  session: Session,
  ran: readonly string[],
  accepted: readonly Submission[],
): Promise<readonly EnduringEvent[]> {
  const journal = recordSession(session, { since: 0, filter: { class: 'enduring' } })
  await session.shutdown()
  expect(await journal.ended).toBeUndefined()
  const events = journal.deliveries.map(({ event }) => event as EnduringEvent)
  const resolved = events.flatMap((event) =>
    event.type === 'TurnStarted' || event.type === 'TurnFoldedInto' || event.type === 'InputCancelled'
      ? [event.inputId]
      : [],
  )
  expect([...resolved].sort()).toEqual(accepted.map((submission) => submission.inputId).sort())
  expectOneTerminalPerTurn(events)
  const history = session.history()
  expect(expectPaired(history)).toBe(history.filter((message) => message.role === 'tool').length)
  expect(new Set(ran).size).toBe(ran.length)
  expectToldRight(history, ran)
  return events
}

/** What the transcript says to have happened did, and what it says not to have happened did not. */
function expectToldRight(history: readonly Message[], ran: readonly string[]): void {
  const values = history.flatMap((message) =>
    message.role === 'assistant'
      ? message.blocks.flatMap((block) => (block.type === 'tool_use' ? [String(block.input.value)] : []))
      : [],
  )
  const told = history.flatMap((message) => (message.role === 'tool' ? [textOf(message.blocks)] : []))
  for (const [index, text] of told.entries()) {
    const didRun = ran.includes(values[index] ?? '')
    if (/ did /.test(text)) expect(didRun).toBe(true)
    if (/^(not_executed|permission denied)/.test(text)) expect(didRun).toBe(false)
  }
  expect(ran.filter((value) => !values.includes(value))).toEqual([])
}
