import { type InputId, type SessionId, textOf } from '@looprig/core'
import type { ScriptedResponse } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { handBackId } from '../../src/delegate/hand-back-id.ts'
import type { SessionMailbox } from '../../src/index.ts'
import { expectWholeSession } from '../delegate/agent-invariants.ts'
import { starts } from '../delegate/agent-session.ts'
import { openSqlite, readRecords, tempFolder } from '../journal/stores.ts'
import { otherId } from '../queue/other-process.ts'
import { eventsOf, expectWhole, type ReadRecord, readBodies, resolvedInputs } from '../restore/journal-invariants.ts'
import { acts, durableRig, effectsIn } from './durable-rig.ts'
import { bundleOwner, startOwner } from './owner-child.ts'
import { seededChoices } from './seeded-choices.ts'

let script = ''
beforeAll(async () => {
  script = await bundleOwner(tempFolder())
})

type Choose = ReturnType<typeof seededChoices>

/** What one model says; every call has a value that no other has, in any process. */
function sayings(choose: Choose, who: string, startsAgents: boolean): readonly ScriptedResponse[] {
  const kinds = ['text', 'text', 'work', 'work', 'ask', 'both', 'safe', 'fail'] as const
  return Array.from({ length: 60 }, (_, n): ScriptedResponse => {
    const value = (what: string) => `${what} ${who}.${n}`
    const kind = choose(startsAgents ? ([...kinds, 'agent', 'agent', 'agent'] as const) : kinds)
    if (kind === 'agent') return starts('scout', { wait_for_response: choose([true, false]) }, choose([1, 1, 2]))
    if (kind === 'text') return { text: `said ${value('t')}`, delayMs: choose([0, 0, 5]) }
    if (kind === 'fail') return { text: 'It beg', error: { code: 'overloaded', afterText: true } }
    const values =
      kind === 'ask'
        ? [value('ask a'), value('ask b')]
        : kind === 'both'
          ? [value('a'), value('ask')]
          : [value(kind === 'safe' ? 'safe' : 'a'), value('b')]
    return kind === 'safe' ? acts(values.slice(0, 1), 'SafeAct') : acts(values)
  })
}

const models = (choose: Choose, process: string) => ({
  says: sayings(choose, process, true),
  agent: sayings(choose, `scout ${process}`, false),
})

/** Hands over, takes back and answers from this process, for as long as `isOver` says no. */
async function meddle(
  choose: Choose,
  mailbox: SessionMailbox,
  gates: () => Promise<readonly ReadRecord[]>,
  isOver: () => boolean,
) {
  const handed: InputId[] = []
  const accepted: InputId[] = []
  while (!isOver()) {
    const what = choose(['submit', 'cancel', 'answer', 'answer', 'answer'])
    if (what === 'submit' && handed.length < 6) {
      const inputId = otherId()
      handed.push(inputId)
      await mailbox.submit('more', { inputId, noFold: choose([true, false]) })
      accepted.push(inputId)
    }
    if (what === 'cancel' && handed.length > 0) await mailbox.cancel(choose(handed))
    if (what === 'answer') {
      const records = await gates()
      const closed = new Set(eventsOf(records, 'GateResolved').map(({ gateId }) => gateId))
      const open = eventsOf(records, 'PermissionRequested').filter(({ gateId }) => !closed.has(gateId))
      const action = choose(['approve', 'approve', 'deny', 'approve_always'] as const)
      if (open.length > 0) await mailbox.answer(choose(open).gateId, { action }).catch(() => undefined)
    }
    await passing(choose([0, 1, 5, 20]))
  }
  return accepted
}

/** A session in a file, with what its owners and this process handed over so far. */
interface Life {
  readonly choose: Choose
  readonly folder: string
  readonly store: Store
  readonly accepted: InputId[]
  id: SessionId | undefined
}

/** One owner: it takes the session over, works, and is killed at any moment, while this process meddles. */
async function liveOnce(life: Life, process: number): Promise<string | number> {
  const { choose, folder, store, accepted } = life
  const plan = { ...models(choose, `${process}`), drainTimeoutMs: 20, parallel: choose([1, 8]) }
  const owner = startOwner(script, folder, plan)
  if (life.id !== undefined) owner.say({ do: 'restore', id: life.id })
  const id = life.id === undefined ? await owner.newSession() : await owner.until(({ session }) => session)
  life.id = id
  const inputId = otherId()
  owner.say({ do: 'submit', text: 'go', inputId })
  await owner.until(({ event }) =>
    event !== undefined && 'inputId' in event && event.inputId === inputId ? true : undefined,
  )
  accepted.push(inputId)

  let isOver = false
  const mailbox = durableRig(store, { folder }, { agent: [] }).mailbox(id)
  const records = async () => readBodies(await readRecords(store, id))
  const meddling = meddle(choose, mailbox, records, () => isOver)
  await passing(choose([5, 20, 60, 120, 250]))
  if (choose([true, false, false])) owner.say({ do: 'interrupt' })
  await passing(choose([0, 1, 5, 30]))
  owner.kill('SIGKILL')
  isOver = true
  accepted.push(...(await meddling))
  return owner.exited()
}

/** Restores the session in this process, approves what is asked, and lets it come to rest. */
async function comeToRest({ choose, folder, store }: Life, id: SessionId): Promise<void> {
  const session = await durableRig(store, { folder }, models(choose, 'last')).restoreSession(id)
  while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
    for (const { gateId } of session.gates()) await session.answer(gateId, { action: 'approve' })
  }
  await session.shutdown()
}

function passing(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** What the transcript says to have happened did, what it says not to have happened did not, and it tells of all. */
function expectToldRight(records: readonly ReadRecord[], all: readonly string[]): void {
  // what is safe to replay may run unseen, and again
  const effects = all.filter((value) => !value.startsWith('safe'))
  const called: string[] = []
  for (const { messages } of eventsOf(records, 'StepDone')) {
    const [answer, ...results] = messages
    const values = answer.blocks.flatMap((block) => (block.type === 'tool_use' ? [String(block.input.value)] : []))
    called.push(...values)
    for (const [index, { blocks }] of results.entries()) {
      const text = textOf(blocks)
      const told = [effects.includes(values[index] ?? ''), text]
      if (/^acted on (?!safe)/.test(text)) expect(told).toEqual([true, text])
      if (/^(not_executed|permission denied|stale)/.test(text)) expect(told).toEqual([false, text])
    }
  }
  expect(effects.filter((value) => !called.includes(value))).toEqual([])
  expect(new Set(effects).size).toBe(effects.length)
}

/** What an agent did in the background, and that it failed, is told to its parent. */
function expectHandedBack(records: readonly ReadRecord[]): void {
  const background = records.flatMap(({ id, kind, body }) =>
    kind === 'input' && body.caller?.background === true ? [id.slice(3)] : [],
  )
  const ended = [...eventsOf(records, 'TurnDone'), ...eventsOf(records, 'TurnFailed')]
  const due = ended
    .filter(({ inputId }) => background.includes(inputId))
    .map(({ turnId }) => `in/${handBackId(turnId)}`)
  expect(records.map(({ id }) => id)).toEqual(expect.arrayContaining(due))
}

/** What people handed over, in this process or in an owner, was resolved once. */
function expectResolved(records: readonly ReadRecord[], accepted: readonly InputId[]): void {
  const ofAgents = records.flatMap(({ id, kind, body }) =>
    kind === 'input' && body.agency === 'machine' ? [id.slice('in/'.length)] : [],
  )
  const resolved = resolvedInputs(records).filter((inputId) => !ofAgents.includes(inputId))
  expect(resolved.toSorted()).toEqual(accepted.toSorted())
}

describe('a session whose owners are killed at any moment, while another process meddles', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('comes to rest whole, told as it was: seed %i', async (seed) => {
    const folder = tempFolder()
    const life: Life = { choose: seededChoices(seed), folder, store: openSqlite(folder), accepted: [], id: undefined }
    const ends: (string | number)[] = []
    for (let process = 0; process < 4; process += 1) ends.push(await liveOnce(life, process))
    if (life.id === undefined) throw new Error('no session')
    await comeToRest(life, life.id)

    const stored = await readRecords(life.store, life.id)
    const records = readBodies(stored)
    expect(ends).toEqual(Array(4).fill('SIGKILL'))
    expectWhole(records)
    // an interrupt is told to no parent
    expectWholeSession(stored, { isStopped: true })
    expectHandedBack(records)
    expectResolved(records, life.accepted)
    expectToldRight(records, effectsIn(folder))
    expect(eventsOf(records, 'TurnFailed').map(({ error }) => error.code)).not.toContain('invalid_request')
  })
})
