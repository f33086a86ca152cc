import type { AIMessage, ToolResultMessage } from '@looprig/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { tempFolder } from '../journal/stores.ts'
import { eventsOf, expectWhole, nameOf, type ReadRecord } from '../restore/journal-invariants.ts'
import { resultsOf, resultTexts } from '../session/open-session.ts'
import { crashedSession, ownedSession } from './after-crash.ts'
import { acts, effectsIn } from './durable-rig.ts'
import { bundleOwner } from './owner-child.ts'

let script = ''
beforeAll(async () => {
  script = await bundleOwner(tempFolder())
})

const unknown = /^outcome_unknown: .*It may have happened, or may still happen/
const notExecuted = /^not_executed/

describe('an owner that is killed in a step with one effectful call', () => {
  it('right after its start was recorded leaves a call of unknown outcome, which never runs (1)', async () => {
    const at = { holding: ['run run/'], do: 'kill after' } as const
    const crashed = await crashedSession(script, { says: [acts(['a'])], at })

    const { session } = await crashed.restore()

    expect([crashed.ended, crashed.before.at(-1)?.kind]).toEqual(['SIGKILL', 'event'])
    expect(effectsIn(crashed.folder)).toEqual([])
    expect(resultTexts(session.history())).toEqual([expect.stringMatching(unknown)])
    const after = await crashed.records()
    expect(eventsOf(after, 'TurnInterrupted')).toHaveLength(1)
    expectWhole(after)
  })

  it('between its effect and its StepDone leaves one effect, and the next request says that it may have happened (2)', async () => {
    const at = { holding: ['"StepDone"'], do: 'kill before' } as const
    const crashed = await crashedSession(script, { says: [acts(['a'])], at })

    const { session, requests } = await crashed.restore({ says: [{ text: 'I will look.' }] })
    const { status } = await session.submit('and now?').result()

    expect(crashed.ended).toBe('SIGKILL')
    expect(status).toBe('done')
    expect(effectsIn(crashed.folder)).toEqual(['a'])
    expect(resultTexts(requests[0]?.messages ?? [])).toEqual([expect.stringMatching(unknown)])
  })

  it('right after its step, with no start recorded, leaves calls that were not executed (3)', async () => {
    const at = { holding: ['step step/'], do: 'kill after its first record' } as const
    const crashed = await crashedSession(script, { says: [acts(['a', 'b'])], at })

    const { session } = await crashed.restore()

    expect(crashed.before.map(nameOf).at(-1)).toBe('step')
    expect(effectsIn(crashed.folder)).toEqual([])
    expect(resultTexts(session.history())).toEqual(Array(2).fill(expect.stringMatching(notExecuted)))
    expectWhole(await crashed.records())
  })
})

describe('a step of four calls: two ended, one runs, one waits for its place', () => {
  const says = [
    {
      toolCalls: [
        ...callsOf('a', 'b'),
        ...callsOf('c', 'd').map((call) => ({ ...call, input: { ...call.input, hold: true } })),
      ],
    },
  ]
  const plan = { says, parallel: 1, drainTimeoutMs: 20 }

  function callsOf(...values: readonly string[]) {
    return acts(values).toolCalls ?? []
  }

  /** Starts an owner in such a step, with both results durable. */
  async function inStep() {
    const owned = await ownedSession(script, plan)
    await owned.owner.untilEvent('ToolCallStarted', 3)
    await owned.untilDurable(/^run\/.*\/end$/, 2)
    return owned
  }

  /** The one step of a journal, without what no two runs have in common. */
  function stepIn(records: readonly ReadRecord[]): readonly (AIMessage | ToolResultMessage)[] {
    return eventsOf(records, 'StepDone').flatMap(({ messages }) => messages)
  }

  const texts = ['acted on a', 'acted on b', expect.stringMatching(unknown), expect.stringMatching(notExecuted)]

  it('keeps what is known of each when its owner is killed, in call order (4)', async () => {
    const owned = await inStep()
    owned.owner.kill('SIGKILL')
    await owned.owner.exited()

    const { session } = await owned.restore(plan)

    expect(resultTexts(session.history())).toEqual(texts)
    expect(resultsOf(session.history()).map(({ toolUseId }) => toolUseId)).toEqual(['a', 'b', 'c', 'd'])
    expect(effectsIn(owned.folder)).toEqual(['a', 'b', 'c'])
    expectWhole(await owned.records())
  })

  it('is closed byte for byte the same by an interrupt, and the next request shows what had ended (5)', async () => {
    const [killed, interrupted] = [await inStep(), await inStep()]
    killed.owner.kill('SIGKILL')
    await killed.owner.exited()
    await killed.restore(plan)

    interrupted.owner.say({ do: 'interrupt' })
    await interrupted.owner.untilEvent('SessionIdle')
    interrupted.owner.kill('SIGKILL')
    await interrupted.owner.exited()
    const { session, requests } = await interrupted.restore({ ...plan, says: [{ text: 'So.' }] })
    await session.submit('and now?').result()

    const [one, other] = [stepIn(await killed.records()), stepIn(await interrupted.records())]
    expect(one).toHaveLength(5)
    expect(JSON.stringify(other.slice(0, 5))).toBe(JSON.stringify(one))
    expect(resultTexts(requests[0]?.messages ?? [])).toEqual(texts)
  })
})
