import { textOf } from '@looprig/core'
import { beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { openSqlite, readRecords, tempFolder } from '../journal/stores.ts'
import { eventsOf, expectWhole, type ReadRecord, readBodies, stepsOf } from '../restore/journal-invariants.ts'
import { type ApprovalCase, type PlannedAnswer, planApprovals } from './approval-plan.ts'
import { changeFile, readRules } from './approval-rig.ts'
import { bundleChild, runChild } from './crash-child.ts'
import { readEffects } from './recorded-acts.ts'
import './kill-points-meta.ts'

/** More seeds in the crash matrix. */
const seeds = process.env.LOOPRIG_CRASH_MATRIX === 'all' ? 25 : 3

/** What came of a case. */
interface Outcome extends ApprovalCase {
  /** How its processes ended. */
  readonly ended: readonly (string | number)[]
  readonly records: readonly ReadRecord[]
  /** How often each call had its effect, over all processes. */
  readonly effects: ReadonlyMap<string, number>
  readonly rules: readonly string[]
}

async function play(script: string, plan: ApprovalCase): Promise<Outcome> {
  const folder = tempFolder()
  for (const { call } of plan.answers) changeFile(folder, call, 'as it was')
  const ended: (string | number)[] = []
  for (const { changed, task } of plan.processes) {
    for (const call of changed) changeFile(folder, call, 'as somebody left it')
    ended.push((await runChild(script, folder, JSON.stringify(task))).ended)
  }
  const store = openSqlite(folder)
  const [entry] = await store.ledger.list()
  const records = readBodies(await readRecords(store, (entry?.session ?? '') as Parameters<typeof readRecords>[1]))
  await store.close()
  return { ...plan, ended, records, effects: readEffects(folder), rules: readRules(folder) }
}

/** Says whether a call is to run: a person approved exactly that. */
function mayRun({ changed }: ApprovalCase, { call, action }: PlannedAnswer): boolean {
  return action !== 'deny' && !changed.includes(call)
}

/** What was answered, whether that had changed, and whether the process that ended the turn took the answer itself. */
function fateOf({ changed, processes }: ApprovalCase, answer: PlannedAnswer): string {
  const last = processes.at(-1)?.task
  const isOwn = last?.does === 'answer' && last.answers.includes(answer)
  const file = changed.includes(answer.call) ? 'changed' : 'same'
  return `${answer.action} ${file}, answered ${isOwn ? 'by who runs it' : 'before'}`
}

describe('parallel gates whose processes are killed, answered in any order', () => {
  const outcomes: Outcome[] = []

  beforeAll(async () => {
    const script = await bundleChild('approval-child-main', tempFolder())
    const left = [1, 2, 3, 5].flatMap((gates) => Array.from({ length: seeds }, (_, n) => planApprovals(gates, n + 1)))
    const next = async () => {
      for (let plan = left.shift(); plan !== undefined; plan = left.shift()) outcomes.push(await play(script, plan))
    }
    await Promise.all([next(), next(), next()])
  }, 600_000)

  /** Checks every case, so that one that fails hides no other. */
  function checkEach({ task }: TestContext, check: (outcome: Outcome) => void): void {
    const failures: { readonly kills: readonly string[]; readonly error: unknown }[] = []
    const all = outcomes.map((outcome) => {
      const kills = outcome.ended.flatMap((ended, index) =>
        ended === 0 ? [] : [`${outcome.name}, process ${index + 1}`],
      )
      try {
        check(outcome)
      } catch (error) {
        failures.push({ kills, error })
      }
      return kills
    })
    const failed = failures.flatMap(({ kills }) => kills)
    task.meta.killPoints = { all: all.flat(), failed }
    const [first] = failures
    if (first !== undefined) throw new Error(`failed: ${failed.join('; ')}`, { cause: first.error })
  }

  it('are met by every kind of death, answer and change', (context) => {
    const tasks = outcomes.flatMap(({ processes }) => processes.map(({ task }) => task))
    const ways = new Set(tasks.map((task) => (task.does === 'begin' ? 'begin' : `${task.as} ${task.dies ?? 'ends'}`)))
    const fates = outcomes.flatMap((outcome) => outcome.answers.map((answer) => fateOf(outcome, answer)))

    expect(outcomes).toHaveLength(4 * seeds)
    expect(ways).toEqual(
      new Set([
        ...['begin', 'owner ends', 'owner said', 'owner unsaid', 'owner rule_unsaved', 'owner rule_saved'],
        ...['mailbox said', 'mailbox unsaid'],
      ]),
    )
    const all = ['approve', 'approve_always', 'deny'].flatMap((action) =>
      ['changed', 'same'].flatMap((file) =>
        ['by who runs it', 'before'].map((when) => `${action} ${file}, answered ${when}`),
      ),
    )
    expect(new Set(fates)).toEqual(new Set(all))
    checkEach(context, ({ ended }) => {
      expect(ended).toEqual([...ended.slice(1).map(() => 'SIGKILL'), 0])
    })
  })

  it('run what was approved once, and what was denied or has changed never', (context) => {
    checkEach(context, (outcome) => {
      const { answers, effects } = outcome
      const expected = answers.filter((answer) => mayRun(outcome, answer)).map(({ call }) => [call, 1])
      expect([...effects].toSorted()).toEqual(expected.toSorted())
    })
  })

  it('are closed once each, by the answer that was given first', (context) => {
    checkEach(context, ({ answers, records }) => {
      const asked = eventsOf(records, 'PermissionRequested')
      const resolved = eventsOf(records, 'GateResolved').map(({ gateId, reason, action }) => {
        const call = asked.find((gate) => gate.gateId === gateId)?.request.summary.slice('edit '.length)
        return { reason, call, action }
      })
      expect(asked).toHaveLength(answers.length)
      expect(resolved).toEqual(answers.map(({ call, action }) => ({ reason: 'answered', call, action })))
    })
  })

  it('have their turn go on to its end, with a result for each call that says what became of it', (context) => {
    checkEach(context, (outcome) => {
      const { answers, changed, records } = outcome
      const [step] = stepsOf(records)
      const [, ...results] = eventsOf(records, 'StepDone')[0]?.messages ?? []
      const calls = step?.calls.map(({ toolUseId }) => toolUseId) ?? []

      expectWhole(records)
      expect(eventsOf(records, 'TurnDone')).toHaveLength(1)
      expect(calls.toSorted()).toEqual(answers.map(({ call }) => call).toSorted())
      for (const [index, call] of calls.entries()) {
        const isDenied = answers.find((answer) => answer.call === call)?.action === 'deny'
        const expected = isDenied ? /^permission denied/ : changed.includes(call) ? /^stale/ : `edited ${call}`
        expect(textOf(results[index]?.blocks ?? [])).toMatch(expected)
      }
    })
  })

  it('have the rules of approve_always written once, whenever their process is killed', (context) => {
    checkEach(context, (outcome) => {
      const always = outcome.answers.filter(({ action }) => action === 'approve_always')
      const spent = always.filter((answer) => mayRun(outcome, answer)).map(({ call }) => call)
      // what changed after its answer may have its rule already
      const allowed = always.map(({ call }) => call)
      expect(outcome.rules).toHaveLength(new Set(outcome.rules).size)
      expect(outcome.rules).toEqual(expect.arrayContaining(spent))
      expect(allowed).toEqual(expect.arrayContaining([...outcome.rules]))
    })
  })
})
