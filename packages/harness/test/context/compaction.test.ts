import type { LoopId, SessionId } from '@looprig/core'
import { textOf } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { AutomaticAttempts } from '../../src/context/automatic-attempts.ts'
import type { Boundary } from '../../src/context/boundary.ts'
import { runCompaction } from '../../src/context/compaction.ts'
import { resolveContextPolicy } from '../../src/context/context-policy.ts'
import { cutHistory } from '../../src/context/cut.ts'
import { openHooks } from '../../src/hook/define-hooks.ts'
import { HookRunner } from '../../src/hook/hook-runner.ts'
import { History } from '../../src/runtime/history.ts'
import type { Draft } from '../../src/session/session-log.ts'
import { countingIds, fakeClock } from '../../src/testing.ts'
import { contextClient, long, model, policy, summaryText } from './context-session.ts'
import { answered, said } from './histories.ts'

const ids = countingIds()
const loopId = ids.uuid() as LoopId
const sessionId = ids.uuid() as SessionId

/** Runs one compaction of three records; `meanwhile` happens after the summary and before the decision. */
async function compact(meanwhile: (history: History, stop: AbortController) => void, decisions = 1) {
  const history = new History()
  history.push(3, said(long('a')))
  history.push(4, answered('b'))
  history.push(7, said('c'))
  const before = history.messages()
  const stop = new AbortController()
  const drafts: (Draft | undefined)[] = []
  const boundary: Boundary = {
    turnId: undefined,
    client: contextClient([], [summaryText]),
    model,
    hooks: new HookRunner(openHooks(undefined), { sessionId, loopId, loopName: 'main' }, () => undefined),
    signal: stop.signal,
    next: () => ({ model, messages: history.messages() }),
    commit: async (decide) => {
      meanwhile(history, stop)
      for (let decision = 0; decision < decisions; decision += 1) drafts.push(decide())
      drafts.at(-1)?.apply?.([])
    },
  }
  const result = await runCompaction({
    ...{ loopId, history, ids, boundary, reason: 'manual', limitTokens: 1_000, clock: fakeClock() },
    policy: resolveContextPolicy(policy, model),
    cut: cutHistory(history.entries(), { segments: 1, tokens: 400 }),
  })
  const bodies = drafts.map((draft) => draft?.records.map(({ body }) => body))
  return { result, bodies, before, after: history.messages() }
}

describe('a compaction', () => {
  it('names what it covers and what it keeps', async () => {
    const { result, bodies, after } = await compact(() => undefined)

    expect(result).toMatchObject({ status: 'committed', through: 7, tailFrom: 7 })
    expect(bodies).toMatchObject([[{ type: 'CompactionCommitted', through: 7, tailFrom: 7 }]])
    expect(after).toHaveLength(2)
    expect(Object.isFrozen(after[0]?.blocks[0])).toBe(true)
  })

  it('is dropped when the history grew meanwhile: nothing of it is lost', async () => {
    const { result, bodies, before, after } = await compact((history) => history.push(9, answered('new')))

    expect(result).toMatchObject({ status: 'rejected', cause: 'stale', usage: { inputTokens: 500 } })
    expect(bodies).toMatchObject([[{ type: 'CompactionRejected', cause: 'stale', through: 7 }]])
    expect(after).toEqual([...before, ...answered('new')])
  })

  it('writes nothing when it was stopped before the decision', async () => {
    const { result, bodies, before, after } = await compact((_, stop) => stop.abort())

    expect(result).toMatchObject({ status: 'rejected', cause: 'interrupted' })
    expect(bodies).toEqual([undefined])
    expect(after).toBe(before)
  })

  it('can be decided again when another process was faster', async () => {
    const { result, bodies, after } = await compact(() => undefined, 3)

    expect(bodies[0]).toEqual(bodies[2])
    expect(result).toMatchObject({ status: 'committed' })
    expect(textOf(after[0]?.blocks ?? [])).toContain('X is in a.ts.')
  })
})

describe('automatic attempts', () => {
  it('come once for the same head, and once more at the limit', () => {
    const attempts = new AutomaticAttempts()
    attempts.rejected(7, 'compact')
    expect([attempts.mayTry(7, 'compact'), attempts.mayTry(9, 'compact'), attempts.mayTry(7, 'hard')]).toEqual([
      false,
      true,
      true,
    ])

    attempts.rejected(7, 'hard')
    expect([attempts.mayTry(7, 'hard'), attempts.mayTry(9, 'hard')]).toEqual([false, true])
  })

  it('wait after one for the pressure to be normal, or for the limit', () => {
    const attempts = new AutomaticAttempts()
    attempts.committed()
    expect([attempts.mayTry(9, 'compact'), attempts.mayTry(9, 'hard')]).toEqual([false, true])

    attempts.rearm()
    expect(attempts.mayTry(9, 'compact')).toBe(true)
  })
})
