import { type InputId, type SessionId, textOf } from '@looprig/core'
import type { ScriptedResponse } from '@looprig/inference/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SessionMailbox } from '../../src/index.ts'
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
function sayings(choose: Choose, process: number): readonly ScriptedResponse[] {
  return Array.from({ length: 60 }, (_, n): ScriptedResponse => {
    const value = (what: string) => `${what}${process}.${n}`
    const kind = choose(['text', 'text', 'work', 'work', 'ask', 'both', 'safe', 'fail'] as const)
    if (kind === 'text') return { text: `said ${value('t')}`, delayMs: choose([0, 0, 5]) }
    if (kind === 'fail') return { text: 'It beg', error: { code: 'overloaded', afterText: true } }
    const values = kind === 'ask' ? [value('ask a'), value('ask b')] : kind === 'both' ? [value('a'), value('ask')] : [value('a'), value('b')]
    return acts(values, kind === 'safe' ? 'SafeAct' : 'Act')
  })
}

/** Hands over, takes back and answers from this process, for as long as `isOver` says no. */
async function meddle(choose: Choose, mailbox: SessionMailbox, gates: () => Promise<readonly ReadRecord[]>, isOver: () => boolean) {
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
    await new Promise((resolve) => setTimeout(resolve, choose([0, 1, 5, 20])))
  }
  return accepted
}

/** Runs one session through owners that are killed at any moment, while another process meddles; then to its rest. */
async function survive(seed: number): Promise<{ readonly kills: number; readonly records: number }> {
  const choose = seededChoices(seed)
  const folder = tempFolder()
  const store = openSqlite(folder)
  const accepted: InputId[] = []
  let id: SessionId | undefined
  let kills = 0
  for (let process = 0; process < 4; process += 1) {
    const owner = startOwner(script, folder, { says: sayings(choose, process), drainTimeoutMs: 20, parallel: choose([1, 8]) })
    if (id === undefined) id = await owner.newSession()
    else {
      owner.say({ do: 'restore', id })
      const refused = await owner.until(({ session, refused: no }) => (session === undefined ? no : null))
      expect(refused, `seed ${seed}`).toBeNull()
    }
    const session = id
    const inputId = otherId()
    owner.say({ do: 'submit', text: 'go', inputId })
    await owner.until(({ event }) => (event?.type === 'TurnStarted' || event?.type === 'InputQueued') && 'inputId' in event && event.inputId === inputId ? true : undefined)
    accepted.push(inputId)
    let isOver = false
    const meddling = meddle(choose, durableRig(store, { folder }).mailbox(session), async () => readBodies(await readRecords(store, session)), () => isOver)
    await new Promise((resolve) => setTimeout(resolve, choose([5, 20, 60, 120, 250])))
    if (choose([true, false, false])) owner.say({ do: 'interrupt' })
    await new Promise((resolve) => setTimeout(resolve, choose([0, 1, 5, 30])))
    owner.kill('SIGKILL')
    isOver = true
    accepted.push(...(await meddling))
    if ((await owner.exited()) === 'SIGKILL') kills += 1
  }
  if (id === undefined) throw new Error('no session')
  const restored = await durableRig(store, { folder }, { says: sayings(choose, 9) }).restoreSession(id)
  while ((await restored.waitIdle({ orWaiting: true })) === 'waiting') {
    for (const { gateId } of restored.gates()) await restored.answer(gateId, { action: 'approve' })
  }
  const history = restored.history()
  await restored.shutdown()

  const records = readBodies(await readRecords(store, id))
  const effects = effectsIn(folder)
  try {
    expectWhole(records)
    // in any order, what was accepted was resolved once
    expect(resolvedInputs(records).toSorted()).toEqual(accepted.toSorted())
    expect(new Set(effects).size).toBe(effects.length)
    expect(eventsOf(records, 'TurnFailed').map(({ error }) => error.code)).not.toContain('invalid_request')
    for (const { messages } of eventsOf(records, 'StepDone')) {
      const [answer, ...results] = messages
      const calls = answer.blocks.flatMap((block) => (block.type === 'tool_use' ? [String(block.input.value)] : []))
      for (const [index, result] of results.entries()) {
        const text = textOf(result.blocks)
        const didRun = effects.includes(calls[index] ?? '')
        if (/^acted on/.test(text)) expect(didRun).toBe(true)
        if (/^(not_executed|permission denied|stale)/.test(text)) expect(`${didRun} ${text}`).toBe(`false ${text}`)
      }
    }
    expect(history.length).toBeGreaterThan(0)
  } catch (error) {
    throw new Error(`seed ${seed}`, { cause: error })
  }
  return { kills, records: records.length }
}

describe('a session whose owners are killed at any moment, while another process meddles', () => {
  it('comes to rest whole: each input resolved once, no effect twice, and told as it was', async () => {
    const seeds = Number(process.env.CHAOS_SEEDS ?? 8)
    const first = Number(process.env.CHAOS_FIRST ?? 1)
    let kills = 0
    for (let seed = first; seed < first + seeds; seed += 1) kills += (await survive(seed)).kills

    expect(kills).toBe(4 * seeds)
  }, 600_000)
})
