import type { StreamEvent } from '@looprig/core'
import type { Store } from '@looprig/store'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { Denial, defineHooks, type Session } from '../../src/index.ts'
import { long, openContextSession } from '../context/context-session.ts'
import { openSession } from '../session/open-session.ts'

/** Says whether the session would be due, should its owner be lost now. */
async function isDue(store: Store, { id }: Session): Promise<boolean> {
  const { wakeAt } = (await store.ledger.find(id)) ?? {}
  return wakeAt !== undefined && wakeAt <= (await store.ledger.now())
}

/** A session that rests while it is compacted, until `finish`. */
async function compacting() {
  const begun = createDeferred<void>()
  const end = createDeferred<void>()
  async function* summary(): AsyncGenerator<StreamEvent, void, undefined> {
    begun.resolve()
    await end.promise
    yield* []
  }
  const opened = await openContextSession({ summaries: [summary] })
  await opened.turn(long('a'))
  await opened.turn('b')
  const compacted = opened.session.compact()
  await begun.promise
  const finish = async () => {
    end.resolve()
    await compacted
  }
  return { ...opened, finish }
}

/** A session whose turns wait for a guard. */
async function guarded() {
  const verdict = createDeferred<Denial | undefined>()
  const hooks = defineHooks({ policyRevision: 'v1', guards: [{ operation: 'turn', check: () => verdict.promise }] })
  return { ...(await openSession({ hooks, responses: [{ text: 'Yes.' }] })), verdict }
}

describe('a session without a turn is due', () => {
  it('while an input waits for the end of a compaction', async () => {
    const { session, store, finish } = await compacting()
    expect(await isDue(store, session)).toBe(false)

    const submission = session.submit('c')
    await submission.accepted

    expect(await isDue(store, session)).toBe(true)
    await finish()
    await submission.result()
    expect(await isDue(store, session)).toBe(false)
  })

  it('no more when that input is taken back', async () => {
    const { session, store, finish } = await compacting()
    const { inputId, accepted } = session.submit('c')
    await accepted

    expect(await session.cancel(inputId)).toBe(true)

    expect(await isDue(store, session)).toBe(false)
    await finish()
  })

  it('while two inputs wait and one of them is taken back', async () => {
    const { session, store, finish } = await compacting()
    const { inputId } = session.submit('c')
    await session.submit('d').accepted

    await session.cancel(inputId)

    expect(await isDue(store, session)).toBe(true)
    await finish()
  })

  it('while a guard judges its next turn, and until that has ended', async () => {
    const { session, store, verdict } = await guarded()

    const submission = session.submit('a')
    await submission.accepted

    expect(await isDue(store, session)).toBe(true)
    verdict.resolve(undefined)
    await submission.result()
    expect(await isDue(store, session)).toBe(false)
  })

  it('no more when the guard denied the turn', async () => {
    const { session, store, verdict } = await guarded()
    const submission = session.submit('a')
    await submission.accepted

    verdict.resolve(new Denial('no', 'not now'))
    await submission.result()

    expect(await isDue(store, session)).toBe(false)
  })
})
