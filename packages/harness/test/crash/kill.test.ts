import { beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { tempFolder } from '../journal/stores.ts'
import { type Crash, crashAt } from './crash.ts'
import {
  endsTurns,
  goesOn,
  hasEffectsOnce,
  isDue,
  isInspected,
  isKilled,
  isListed,
  tellsModels,
} from './crash-checks.ts'
import { bundleChild, type ChildRun, runCrashChild } from './crash-child.ts'
import { everyKill, nameOfPoint, someKills } from './kill-point.ts'
import './kill-points-meta.ts'

/** Every kill point there is; else a sample. Set by the crash matrix. */
const all = process.env.LOOPRIG_CRASH_MATRIX === 'all'

type Check = (crash: Crash) => number

/** What a check said of all crashes. */
interface Verdict {
  /** How many cases it met. */
  met: number
  readonly failures: { readonly name: string; readonly error: unknown }[]
}

const checks: readonly Check[] = [
  isKilled,
  isListed,
  isInspected,
  isDue,
  goesOn,
  endsTurns,
  hasEffectsOnce,
  tellsModels,
]

describe('a process that is killed around any append', () => {
  const verdicts = new Map<Check, Verdict>(checks.map((check) => [check, { met: 0, failures: [] }]))
  const points: string[] = []
  let run: ChildRun

  beforeAll(
    async () => {
      const script = await bundleChild('crash-child-main', tempFolder())
      run = JSON.parse((await runCrashChild(script, tempFolder())).said)
      const plan = all ? everyKill(run) : someKills(run)
      const left = [...plan.first]
      const next = async () => {
        for (let first = left.shift(); first !== undefined; first = left.shift()) {
          for await (const crash of crashAt(script, first, plan)) take(crash)
        }
      }
      await Promise.all([next(), next(), next()])
    },
    all ? 3_600_000 : 120_000,
  )

  /** Checks a crash at once: thousands of journals are too much to keep. One that fails hides no other. */
  function take(crash: Crash): void {
    const name = nameOfPoint(crash.point)
    points.push(name)
    for (const [check, verdict] of verdicts) {
      try {
        verdict.met += check(crash)
      } catch (error) {
        verdict.failures.push({ name, error })
      }
    }
  }

  /** Tells what a check said, and that it met cases. */
  function expectAll({ task }: TestContext, check: Check): void {
    const { met, failures } = verdicts.get(check) ?? { met: 0, failures: [] }
    const failed = failures.map(({ name }) => name)
    task.meta.killPoints = { all: points, failed }
    const [first] = failures
    if (first !== undefined) throw new Error(`killed ${failed.join('; ')}`, { cause: first.error })
    expect(met).toBeGreaterThan(0)
  }

  it('leaves its journal at every point', (context) => {
    expect(points.length).toBeGreaterThan(run.appends * (all ? 20 : 0.5))
    expectAll(context, isKilled)
  })

  it('is listed by where its session stands', (context) => {
    expectAll(context, isListed)
  })

  it('is told by a reader as its records tell it, without an owner', (context) => {
    expectAll(context, isInspected)
  })

  it('is due for a worker while a turn of it ran or an input waits, and not when it has gone on', (context) => {
    expectAll(context, isDue)
  })

  it('leaves a session that goes on to a whole journal, with every question asked once', (context) => {
    expectAll(context, goesOn)
  })

  it('has every open turn ended by what is known of each call', (context) => {
    expectAll(context, endsTurns)
  })

  it('has no effect twice, none that no record tells of, and none where the model was told so', (context) => {
    expectAll(context, hasEffectsOnce)
  })

  it('has its model told of each unknown outcome by the next request', (context) => {
    expectAll(context, tellsModels)
  })
})
