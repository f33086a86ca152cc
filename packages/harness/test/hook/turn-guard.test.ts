import { textOf } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { Denial, defineHooks, type GuardCheck, type HookOutcome, type TurnSubject } from '../../src/index.ts'
import { faultyStore } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { calling, delivered, effectTool, openSession, type Setup } from '../session/open-session.ts'

/** Opens a session whose turns have one guard, and an observer. */
async function guarded(check: GuardCheck<'turn'>, setup: Partial<Setup> = {}) {
  const told: string[] = []
  const hooks = defineHooks({
    policyRevision: 'v1',
    guards: [{ operation: 'turn', check }],
    around: [
      {
        operation: 'turn',
        begin: ({ turnIndex }) => {
          told.push(`+${turnIndex}`)
          return (outcome: HookOutcome) => void told.push(`-${turnIndex} ${outcome}`)
        },
      },
    ],
  })
  const responses = [{ text: 'one' }, { text: 'two' }, { text: 'three' }]
  const opened = await openSession({ responses, hooks, ...setup })
  return { ...opened, told, hooks }
}

/** Denies inputs that say `no`. */
const notNo: GuardCheck<'turn'> = ({ message }) => {
  if (textOf(message.blocks) === 'no') throw new Denial('rude', 'say it kindly')
  return undefined
}

/** A guard that waits for the test, input by input. */
function slowGuard() {
  const asked: { readonly subject: TurnSubject; pass(): void; deny(): void; readonly signal: AbortSignal }[] = []
  let changed = createDeferred<void>()
  const check: GuardCheck<'turn'> = (subject, { signal }) => {
    const answer = createDeferred<Denial | undefined>()
    asked.push({
      subject,
      signal,
      pass: () => answer.resolve(undefined),
      deny: () => answer.resolve(new Denial('no', 'not now')),
    })
    changed.resolve()
    return answer.promise
  }
  const nth = async (n: number) => {
    for (;;) {
      const found = asked[n - 1]
      if (found !== undefined) return found
      changed = createDeferred()
      await changed.promise
    }
  }
  return { check, nth, asked }
}

describe('a guard on turns', () => {
  it('is shown the turn before it begins, frozen', async () => {
    let seen: TurnSubject | undefined
    const { session } = await guarded((subject) => {
      seen = subject
      return undefined
    })

    const result = await session.submit('Go').result()

    expect(result).toMatchObject({ status: 'done', turnId: seen?.turnId, inputId: seen?.inputId })
    expect(seen).toMatchObject({ sessionId: session.id, loopId: session.loopId, loopName: 'main', turnIndex: 1 })
    expect([Object.isFrozen(seen), Object.isFrozen(seen?.message.blocks[0])]).toEqual([true, true])
  })

  it('rejects an input for good: accepted, never begun, shown to no model', async () => {
    const { session, requests, types, recording, told } = await guarded(notNo)

    const submission = session.submit('no')
    const result = await submission.result()

    await submission.accepted
    expect(result).toMatchObject({
      status: 'rejected',
      error: { code: 'denied', message: 'turn denied [rude]: say it kindly' },
    })
    expect(await types()).toEqual(['InputQueued', 'TurnRejected'])
    expect(recording.events('TurnRejected')).toMatchObject([
      { reason: 'denied', detail: 'turn denied [rude]: say it kindly', message: { role: 'user' } },
    ])
    expect([requests, session.history(), told]).toEqual([[], [], ['+1', '-1 denied']])
  })

  it('blocks when it fails, without detail', async () => {
    const { session, requests } = await guarded(() => {
      throw new Error('sentinel')
    })

    const result = await session.submit('Go').result()

    expect(result).toMatchObject({
      status: 'rejected',
      error: { code: 'denied', message: 'turn blocked: guards[0] failed' },
    })
    expect(requests).toEqual([])
  })

  it('lets the next input have its turn after a denial', async () => {
    const { session, told, types } = await guarded(notNo)
    const denied = session.submit('no')
    const next = session.submit('Go')

    const results = [await denied.result(), await next.result()]

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'done'])
    expect(await session.waitIdle()).toBe('idle')
    expect(told).toEqual(['+1', '-1 denied', '+1', '-1 completed'])
    const enduring = (await types()).filter((type) => !['InputQueued', 'TokenDelta'].includes(type))
    expect(enduring).toEqual([
      ...['TurnRejected', 'TurnStarted', 'SessionActive', 'StepDone', 'TurnDone', 'LoopIdle', 'SessionIdle'],
    ])
  })

  it('judges each input on its own: none is folded into a turn that runs', async () => {
    const gone = createDeferred<void>()
    const { session, recording } = await guarded(notNo, {
      responses: [calling({ name: 'work' }), { text: 'one' }],
      tools: [effectTool('work', () => gone.promise)],
    })
    const first = session.submit('Go')
    await recording.waitFor('ToolCallStarted')
    const second = session.submit('no')
    await second.accepted
    gone.resolve()

    const results = [await first.result(), await second.result()]

    expect(results.map(({ status }) => status)).toEqual(['done', 'rejected'])
    expect(recording.events('TurnFoldedInto')).toEqual([])
  })

  it('keeps the session busy while it thinks', async () => {
    const guard = slowGuard()
    const { session } = await guarded(guard.check)
    const submission = session.submit('Go')
    const { pass } = await guard.nth(1)
    let isIdle = false
    const idle = session.waitIdle().then(() => {
      isIdle = true
    })
    await delivered()
    const before = isIdle

    pass()
    await idle

    expect(before).toBe(false)
    expect((await submission.result()).status).toBe('done')
  })

  it('asks once per turn, in the order of the inputs', async () => {
    const guard = slowGuard()
    const { session } = await guarded(guard.check)
    const submissions = ['a', 'b'].map((text) => session.submit(text))
    const first = await guard.nth(1)
    await delivered()
    const askedBefore = guard.asked.length
    first.pass()
    const second = await guard.nth(2)
    second.pass()

    const results = await Promise.all(submissions.map((submission) => submission.result()))

    expect(askedBefore).toBe(1)
    expect(results.map(({ text }) => text)).toEqual(['one', 'two'])
    expect(guard.asked.map(({ subject }) => subject.turnIndex)).toEqual([1, 2])
  })

  it('is broken off by an interrupt: the input is rejected, and the next one is judged', async () => {
    const guard = slowGuard()
    const { session, told } = await guarded(guard.check)
    const first = session.submit('a')
    const second = session.submit('b')
    const { signal } = await guard.nth(1)

    const interrupted = await session.interrupt()

    expect(interrupted).toBe(true)
    expect(signal.aborted).toBe(true)
    expect(await first.result()).toMatchObject({ status: 'rejected', error: { code: 'denied' } })
    const { pass } = await guard.nth(2)
    pass()
    expect((await second.result()).status).toBe('done')
    expect(told).toEqual(['+1', '-1 interrupted', '+1', '-1 completed'])
  })

  it('is broken off for good when the interrupt returns', async () => {
    const guard = slowGuard()
    const written = createDeferred<void>()
    const store = faultyStore(memoryStore(), (_number, { records }) =>
      records.some(({ body }) => body.includes('TurnRejected'))
        ? { kind: 'hooked', before: () => written.promise }
        : undefined,
    )
    const { session } = await guarded(guard.check, { store })
    session.submit('Go')
    await guard.nth(1)
    let isOver = false

    const interrupted = session.interrupt().then(() => {
      isOver = true
    })
    await delivered()
    const before = isOver
    written.resolve()
    await interrupted

    expect(before).toBe(false)
  })

  it('is broken off when its input is taken back', async () => {
    const guard = slowGuard()
    const { session } = await guarded(guard.check)
    const first = session.submit('a')
    const second = session.submit('b')
    const { signal } = await guard.nth(1)

    const cancelled = await session.cancel(first.inputId)

    expect(cancelled).toBe(true)
    expect(signal.aborted).toBe(true)
    const { pass } = await guard.nth(2)
    pass()
    expect((await first.result()).status).toBe('cancelled')
    expect((await second.result()).status).toBe('done')
  })

  it('has no say over an input that was taken back before its answer came', async () => {
    const guard = slowGuard()
    const { session, recording } = await guarded(guard.check)
    const submission = session.submit('a')
    const { pass } = await guard.nth(1)

    const cancelled = session.cancel(submission.inputId)
    pass()
    await cancelled
    await session.waitIdle()

    await delivered()
    expect((await submission.result()).status).toBe('cancelled')
    expect([recording.events('TurnStarted'), recording.events('TurnRejected')]).toEqual([[], []])
  })

  it('leaves its input to a restore when the session is shut down meanwhile', async () => {
    const guard = slowGuard()
    const store = memoryStore()
    const { session, rig, told } = await guarded(guard.check, { store })
    const submission = session.submit('Go')
    await guard.nth(1)

    await session.shutdown()
    const parked = await submission.result()
    await using restored = await rig.restoreSession(session.id)
    const again = restored.submit('Go', { inputId: submission.inputId })
    const { pass } = await guard.nth(2)
    pass()

    expect(parked.status).toBe('waiting')
    expect((await again.result()).status).toBe('done')
    expect(told).toEqual(['+1', '-1 interrupted', '+1', '-1 completed'])
    const records = await readRecords(store, session.id)
    expect(records.filter(({ id }) => id === `in/${submission.inputId}/end`)).toHaveLength(1)
  })

  it('does not keep a session from being stopped', async () => {
    const guard = slowGuard()
    const { session, types } = await guarded(guard.check)
    const submission = session.submit('Go')
    await guard.nth(1)

    await session.stop()

    expect((await submission.result()).status).toBe('cancelled')
    expect(await types()).toEqual(['InputQueued', 'InputCancelled', 'SessionStopped'])
  })

  it('is not asked again for what a restore only reads', async () => {
    const asked: string[] = []
    const store = memoryStore()
    const { session, rig } = await guarded(
      ({ message }) => {
        asked.push(textOf(message.blocks))
        return notNo({ message } as TurnSubject, { signal: new AbortController().signal })
      },
      { store },
    )
    const denied = session.submit('no')
    await session.submit('Go').result()
    const before = await denied.result()
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)
    const after = await restored.submit('no', { inputId: denied.inputId }).result()

    expect(after).toEqual(before)
    expect(asked).toEqual(['no', 'Go'])
  })
})
