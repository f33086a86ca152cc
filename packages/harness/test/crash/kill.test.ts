import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionId } from '@looprig/core'
import { textOf } from '@looprig/core'
import type { Store } from '@looprig/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { listSessions } from '../../src/index.ts'
import { openSqlite, readRecords, tempFolder } from '../journal/stores.ts'
import {
  eventsOf,
  expectClosed,
  expectWhole,
  nameOf,
  openStepOf,
  type ReadRecord,
  readBodies,
  stepsOf,
  transcriptOf,
} from '../restore/journal-invariants.ts'
import { inputIdOf, questions, richRig } from '../restore/rich-session.ts'
import { bundleCrashChild, type Kill, runCrashChild } from './crash-child.ts'

/** The appends of the whole session. */
const appends = 26

/** After every append, and before those that follow an effect: before others all is as after the one before. */
const kills: readonly Kill[] = [
  ...Array.from({ length: appends }, (_, index): Kill => ({ append: index + 1, when: 'after' })),
  ...[1, 6, 12, 13, 18, 25].map((append): Kill => ({ append, when: 'before' })),
]

/** How a session stands whose owner is gone. */
function standing(records: readonly ReadRecord[]): string | undefined {
  const open = eventsOf(records, 'PermissionRequested').length - eventsOf(records, 'GateResolved').length
  if (open > 0) return 'waiting'
  const after: Readonly<Record<string, string>> = { TurnStarted: 'interrupted', TurnDone: 'idle', TurnFailed: 'failed' }
  return records.map((record) => after[nameOf(record)]).findLast((status) => status !== undefined)
}

/** What a kill left, and what a restore made of it. */
interface Crash {
  readonly kill: Kill
  readonly ended: string | number
  /** What a list says of the session before it is restored. */
  readonly status: string | undefined
  readonly before: readonly ReadRecord[]
  readonly after: readonly ReadRecord[]
  /** How often each call had its effect, over both processes. */
  readonly effects: ReadonlyMap<string, number>
}

async function crashAndGoOn(script: string, kill: Kill): Promise<Crash> {
  const folder = tempFolder()
  const ended = await runCrashChild(script, folder, kill)
  const store = openSqlite(folder)
  const [entry] = await store.ledger.list()
  const id = (entry?.session ?? '') as SessionId
  const bodies = async () => readBodies(await readRecords(store, id))
  const before = await bodies()
  const [summary] = await listSessions(store)
  if (before.length > 0) await goOn(store, id, folder)
  const after = await bodies()
  await store.close()
  return { kill, ended, status: summary?.status, before, after, effects: readEffects(folder) }
}

/** Restores, and asks all questions again under the same ids, as a client does that got no answer. */
async function goOn(store: Store, id: SessionId, folder: string): Promise<void> {
  const world = {
    effect: (executionId: string) => appendFileSync(join(folder, 'effects'), `${executionId}\n`),
    pause: async () => undefined,
  }
  const session = await richRig({ store, world }).restoreSession(id)
  const results = questions.map((question) => session.submit(question, { inputId: inputIdOf(question) }).result())
  while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
    for (const gate of session.gates()) await session.answer(gate.gateId, { action: 'approve' })
  }
  await Promise.all(results)
  expect(session.history()).toEqual(transcriptOf(readBodies(await readRecords(store, id))))
  await session.shutdown()
}

function readEffects(folder: string): ReadonlyMap<string, number> {
  const file = join(folder, 'effects')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return new Map(lines.map((line) => [line, lines.filter((other) => other === line).length]))
}

/** Every call of the journal that had a record before it ran, with its result. */
function recordedCalls({ after }: Crash) {
  return stepsOf(after).flatMap(({ stepId, calls }) => {
    const [, ...results] = eventsOf(after, 'StepDone').find((done) => done.stepId === stepId)?.messages ?? []
    return calls.map(({ executionId }, index) => ({ executionId, text: textOf(results[index]?.blocks ?? []) }))
  })
}

describe('a process that is killed around any append', () => {
  const crashes: Crash[] = []
  let script = ''
  beforeAll(async () => {
    script = await bundleCrashChild(tempFolder())
    const left = [...kills]
    const next = async () => {
      for (let kill = left.pop(); kill !== undefined; kill = left.pop()) crashes.push(await crashAndGoOn(script, kill))
    }
    await Promise.all([next(), next()])
  }, 120_000)

  it('would have ended with its last append', async () => {
    expect(await runCrashChild(script, tempFolder(), { append: appends + 1, when: 'before' })).toBe(0)
  })

  it('was killed there, with that much in its journal', () => {
    expect(crashes).toHaveLength(kills.length)
    for (const { kill, ended, before } of crashes) {
      expect(ended, JSON.stringify(kill)).toBe('SIGKILL')
      expect(before.length > 0).toBe(kill.append > 1 || kill.when === 'after')
    }
  })

  it('is listed by where its session stands', () => {
    for (const { kill, status, before } of crashes) {
      expect(status, JSON.stringify(kill)).toBe(standing(before))
    }
  })

  it('leaves a session that goes on to a whole journal, with every question asked once', () => {
    for (const { kill, before, after } of crashes) {
      if (before.length === 0) continue
      expect(after.slice(0, before.length), JSON.stringify(kill)).toEqual(before)
      expectWhole(after)
      const inputs = after.filter((record) => record.kind === 'input').map(({ id }) => id)
      expect(inputs).toEqual(questions.map((question) => `in/${inputIdOf(question)}`))
    }
  })

  it('has the open step closed by what is known of each call', () => {
    const open = crashes.flatMap(({ before, after }) => {
      const step = openStepOf(before)
      return step === undefined ? [] : [{ step, after }]
    })

    expect(open.length).toBeGreaterThan(10)
    for (const { step, after } of open) expectClosed(step, after)
  })

  it('has no effect twice, none that no record tells of, and none where the model was told so', () => {
    let told = 0
    for (const crash of crashes) {
      const calls = recordedCalls(crash)
      const known = new Set<string>(calls.map((call) => call.executionId))
      expect([...crash.effects.values()].every((count) => count === 1)).toBe(true)
      expect([...crash.effects.keys()].filter((executionId) => !known.has(executionId))).toEqual([])
      for (const { executionId, text } of calls) {
        const count = crash.effects.get(executionId) ?? 0
        if (/^(not_executed|permission denied|error)/.test(text)) expect(count, text).toBe(0)
        if (text.startsWith('noted')) expect(count, text).toBe(1)
        if (text.startsWith('outcome_unknown')) told += count
      }
    }
    expect(told).toBeGreaterThan(0)
  })
})
