import { textOf } from '@looprig/core'
import { beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { tempFolder } from '../journal/stores.ts'
import {
  eventsOf,
  expectClosed,
  expectWhole,
  nameOf,
  openStepOf,
  type ReadRecord,
  stepsOf,
} from '../restore/journal-invariants.ts'
import { inputIdOf, questions } from '../restore/rich-session.ts'
import { type Crash, crashAt } from './crash.ts'
import { bundleCrashChild, runCrashChild } from './crash-child.ts'
import { appends, firstKills, nameOfPoint } from './kill-point.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What the crash matrix counts: all points that a test looked at, and those at which it failed. */
    killPoints?: { readonly all: readonly string[]; readonly failed: readonly string[] }
  }
}

/** Every kill point there is; else a sample. Set by the crash matrix. */
const all = process.env.LOOPRIG_CRASH_MATRIX === 'all'

/** How a session stands whose owner is gone. */
function standing(records: readonly ReadRecord[]): string | undefined {
  const open = eventsOf(records, 'PermissionRequested').length - eventsOf(records, 'GateResolved').length
  if (open > 0) return 'waiting'
  const after: Readonly<Record<string, string>> = {
    TurnStarted: 'interrupted',
    TurnDone: 'idle',
    TurnFailed: 'failed',
    TurnInterrupted: 'interrupted',
  }
  return records.map((record) => after[nameOf(record)]).findLast((status) => status !== undefined)
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
  beforeAll(
    async () => {
      script = await bundleCrashChild(tempFolder())
      const left = [...firstKills(all)]
      const next = async () => {
        for (let first = left.pop(); first !== undefined; first = left.pop()) {
          for await (const crash of crashAt(script, first, all)) crashes.push(crash)
        }
      }
      await Promise.all([next(), next()])
    },
    all ? 3_600_000 : 120_000,
  )

  /** Checks every crash, so that one that fails hides no other. */
  function checkEach({ task }: TestContext, check: (crash: Crash) => void): void {
    const failures = crashes.flatMap((crash) => {
      try {
        check(crash)
        return []
      } catch (error) {
        return [{ name: nameOfPoint(crash.point), error }]
      }
    })
    const failed = failures.map(({ name }) => name)
    task.meta.killPoints = { all: crashes.map(({ point }) => nameOfPoint(point)), failed }
    const [first] = failures
    if (first !== undefined) throw new Error(`killed ${failed.join('; ')}`, { cause: first.error })
  }

  it('would have ended with its last append', async () => {
    expect(await runCrashChild(script, tempFolder(), { append: appends + 1, when: 'before' })).toBe(0)
  })

  it('was killed there, with that much in its journal', (context) => {
    expect(crashes.length).toBeGreaterThan(firstKills(all).length + 1)
    checkEach(context, ({ point: [first], ended, before }) => {
      expect(ended).toBe('SIGKILL')
      expect(before.length > 0).toBe(first.append > 1 || first.when === 'after')
    })
  })

  it('is listed by where its session stands', (context) => {
    checkEach(context, ({ status, before }) => {
      expect(status).toBe(standing(before))
    })
  })

  it('is told by a reader as its records tell it, without an owner', (context) => {
    checkEach(context, ({ inspection, before }) => {
      const calls = inspection?.loops[0]?.turn?.calls ?? []
      const started = before.filter(({ kind, id }) => kind === 'run' && !id.endsWith('/end')).map(({ id }) => id)
      const open = openStepOf(before)

      expect(inspection?.tip ?? 0).toBe(before.length)
      if (inspection !== undefined) expect(inspection.owner).toBe('none')
      expect(inspection?.status ?? 'idle').toBe(standing(before) ?? 'idle')
      expect(calls).toHaveLength(open?.expected.length ?? 0)
      for (const [index, call] of calls.entries()) {
        expect(call.started).toBe(started.includes(`run/${call.executionId}`))
        const expected = open?.expected[index]
        // a text that is not known yet: a refusal by a person is
        const isUnknown = typeof expected === 'string' && expected !== 'permission denied'
        expect(call.result === undefined).toBe(isUnknown)
      }
    })
  })

  it('leaves a session that goes on to a whole journal, with every question asked once', (context) => {
    checkEach(context, ({ before, after, failure }) => {
      expect(failure).toBeUndefined()
      if (before.length === 0) return
      expect(after.slice(0, before.length)).toEqual(before)
      expectWhole(after)
      const inputs = after.filter((record) => record.kind === 'input').map(({ id }) => id)
      expect(inputs).toEqual(questions.map((question) => `in/${inputIdOf(question)}`))
    })
  })

  it('has the open step closed by what is known of each call', (context) => {
    let open = 0
    checkEach(context, ({ before, after }) => {
      const step = openStepOf(before)
      if (step === undefined) return
      open += 1
      expectClosed(step, after)
    })
    expect(open).toBeGreaterThan(10)
  })

  it('has no effect twice, none that no record tells of, and none where the model was told so', (context) => {
    let told = 0
    checkEach(context, (crash) => {
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
    })
    expect(told).toBeGreaterThan(0)
  })
})
