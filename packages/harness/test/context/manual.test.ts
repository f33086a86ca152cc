import { InferenceError } from '@looprig/inference'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { Denial, defineHooks, defineLoop, defineRig, type Session } from '../../src/index.ts'
import { countingIds, fakeClock, faultAt, faultyStore, recordSession } from '../../src/testing.ts'
import { delivered, openSession, textEvents, whenAborted } from '../session/open-session.ts'
import {
  asksForSummary,
  contextClient,
  long,
  model,
  openContextSession,
  policy,
  type SummaryAnswer,
  summaryText,
  workTool,
} from './context-session.ts'

/** The types of everything that the journal of a session tells. */
async function enduringTypes(session: Session) {
  const recording = recordSession(session, { since: 0 })
  await delivered()
  await delivered()
  return recording.deliveries.map(({ event }) => event.type)
}

/** A summary that is written when `open` is called; it says when it was asked for. */
function heldSummary() {
  let open: () => void = () => undefined
  let asked: () => void = () => undefined
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  let wasAborted = false
  const summary: SummaryAnswer = async function* (signal) {
    asked()
    signal.addEventListener('abort', () => {
      wasAborted = true
    })
    await Promise.race([isOpen, whenAborted(signal)])
    signal.throwIfAborted()
    yield* textEvents(summaryText)
    yield { type: 'finish', reason: 'stop' }
  }
  return { summary, isAsked, open: () => open(), wasAborted: () => wasAborted }
}

describe('session.compact', () => {
  it('folds the head of a loop at rest, and says where', async () => {
    const { turn, session, recording, types } = await openContextSession()
    await turn(long('a'))
    await turn('b')
    const result = await session.compact()

    const [event] = recording.events('CompactionCommitted')
    expect(result).toMatchObject({ status: 'committed', through: event?.through, tailFrom: event?.tailFrom })
    expect(event).not.toHaveProperty('turnId')
    expect(session.history().map(({ role }) => role)).toEqual(['user', 'user', 'assistant'])
    expect((await types()).slice(-3)).toEqual(['LoopIdle', 'SessionIdle', 'CompactionCommitted'])
  })

  it('works while the window is not known', async () => {
    const { turn, session } = await openContextSession({
      model: { provider: 'scripted', name: 'm', capabilities: { images: true } },
    })
    await turn(long('a'))
    await turn('b')

    expect(await session.compact()).toMatchObject({ status: 'committed' })
  })

  it.each([
    ['nothing was said', []],
    ['there is one segment', [long('a')]],
    ['the head is shorter than any summary', ['a', 'b', 'c']],
  ])('is unavailable when %s', async (_, inputs) => {
    const { turn, session, requests, recording } = await openContextSession()
    for (const text of inputs) await turn(text)
    const before = session.history()

    expect(await session.compact()).toMatchObject({ status: 'rejected', cause: 'unavailable' })
    expect(recording.events('CompactionRejected')).toMatchObject([{ reason: 'manual', cause: 'unavailable' }])
    expect(requests.some(asksForSummary)).toBe(false)
    expect(session.history()).toEqual(before)
  })

  it('is unavailable right after another', async () => {
    const { turn, session } = await openContextSession()
    await turn(long('a'))
    await turn('b')
    await session.compact()

    expect(await session.compact()).toMatchObject({ status: 'rejected', cause: 'unavailable' })
  })

  it('is unsupported without a policy, and writes nothing', async () => {
    const { session, types } = await openSession()

    expect(await session.compact()).toMatchObject({ status: 'rejected', cause: 'unsupported' })
    expect(await types()).toEqual([])
  })

  it('refuses a loop that is not there', async () => {
    const { session } = await openContextSession()
    const loopId = session.id as unknown as typeof session.loopId

    await expect(session.compact({ loopId })).rejects.toMatchObject({ code: 'loop_not_found' })
    expect(await session.compact({ loopId: session.loopId })).toMatchObject({ loopId: session.loopId })
  })

  it('refuses a session that was shut down', async () => {
    const { session } = await openContextSession()
    await session.shutdown()

    await expect(session.compact()).rejects.toMatchObject({ code: 'session_closed' })
  })

  it('is one compaction for all who ask for it meanwhile', async () => {
    const held = heldSummary()
    const { turn, session, requests } = await openContextSession({ summaries: [held.summary] })
    await turn(long('a'))
    await turn('b')
    const first = session.compact()
    await held.isAsked
    const others = [session.compact(), session.compact({ loopId: session.loopId })]
    await delivered()
    held.open()
    const results = await Promise.all([first, ...others])

    expect(new Set(results).size).toBe(1)
    expect(requests.filter(asksForSummary)).toHaveLength(1)
  })

  it('runs before the next request of a turn that runs', async () => {
    let compacting: Promise<unknown> | undefined
    const { turn, session, requests, recording } = await openContextSession({
      answers: [{ text: 'so' }, { calls: ['1'] }, { text: 'done' }],
      tools: [
        workTool(() => {
          compacting = session.compact()
        }),
      ],
    })
    await turn(long('a'))
    const result = await turn('b')

    expect(result.status).toBe('done')
    expect(requests.map(asksForSummary)).toEqual([false, false, true, false])
    expect(await compacting).toMatchObject({ status: 'committed' })
    expect(recording.events('CompactionCommitted')).toMatchObject([{ reason: 'manual', turnId: result.turnId }])
  })

  it('runs when a turn has ended that asks for nothing more', async () => {
    const { session, turn, recording } = await openContextSession()
    await turn(long('a'))
    const submission = session.submit('b')
    await submission.accepted
    await recording.waitFor('StepDone', 1)
    const compacting = session.compact()
    await submission.result()

    expect(await compacting).toMatchObject({ status: 'committed' })
  })

  it('holds back what is submitted meanwhile until it is done, and nothing is lost', async () => {
    const held = heldSummary()
    const { turn, session, requests, types } = await openContextSession({ summaries: [held.summary] })
    await turn(long('a'))
    await turn('b')
    const compacting = session.compact()
    await held.isAsked
    const submission = session.submit('meanwhile')
    await submission.accepted
    await delivered()
    expect(requests).toHaveLength(3)
    held.open()
    await submission.result()

    expect(await compacting).toMatchObject({ status: 'committed' })
    expect((await types('TokenDelta', 'InputQueued')).slice(-7)).toEqual([
      'CompactionCommitted',
      'TurnStarted',
      'SessionActive',
      'StepDone',
      'TurnDone',
      'LoopIdle',
      'SessionIdle',
    ])
    const texts = requests.at(-1)?.messages.map(({ blocks: [block] }) => (block?.type === 'text' ? block.text : ''))
    expect(texts?.slice(1)).toEqual(['b', 'so', 'meanwhile'])
    expect(texts?.[0]).toContain('<summary>')
  })

  it('holds back what another process submits meanwhile', async () => {
    const held = heldSummary()
    const { turn, session, rig, requests, recording } = await openContextSession({ summaries: [held.summary] })
    await turn(long('a'))
    await turn('b')
    const compacting = session.compact()
    await held.isAsked
    await rig.mailbox(session.id).submit('from elsewhere')
    await recording.waitFor('InputQueued')
    await delivered()
    expect(requests).toHaveLength(3)
    held.open()
    await compacting
    await session.waitIdle()

    expect((await enduringTypes(session)).slice(-7, -5)).toEqual(['CompactionCommitted', 'TurnStarted'])
  })

  it('counts as work while it runs', async () => {
    const held = heldSummary()
    const { turn, session } = await openContextSession({ summaries: [held.summary] })
    await turn(long('a'))
    await turn('b')
    const compacting = session.compact()
    await held.isAsked
    let isIdle = false
    const idle = session.waitIdle().then(() => {
      isIdle = true
    })
    await delivered()
    expect(isIdle).toBe(false)
    held.open()
    await Promise.all([compacting, idle])
  })

  it('goes on with what waits when it is rejected', async () => {
    const held = heldSummary()
    const failing: SummaryAnswer = async function* (signal) {
      for await (const event of (held.summary as Extract<SummaryAnswer, (...given: never) => unknown>)(signal))
        yield event
      throw new InferenceError('network', 'lost')
    }
    const { turn, session } = await openContextSession({ summaries: [failing] })
    await turn(long('a'))
    await turn('b')
    const compacting = session.compact()
    await held.isAsked
    const submission = session.submit('meanwhile')
    held.open()

    expect(await compacting).toMatchObject({ status: 'rejected', cause: 'execution_failed' })
    expect((await submission.result()).status).toBe('done')
  })
})

describe('a compaction that is stopped', () => {
  it('writes nothing when it is interrupted, and what waits goes on', async () => {
    const held = heldSummary()
    const { turn, session, types } = await openContextSession({ summaries: [held.summary] })
    await turn(long('a'))
    await turn('b')
    const before = session.history()
    const compacting = session.compact()
    await held.isAsked
    const submission = session.submit('meanwhile')
    await submission.accepted

    expect(await session.interrupt()).toBe(true)
    expect(await compacting).toMatchObject({ status: 'rejected', cause: 'interrupted' })
    expect(held.wasAborted()).toBe(true)
    expect((await submission.result()).status).toBe('done')
    expect(session.history().slice(0, before.length)).toEqual(before)
    expect((await types()).filter((type) => type.startsWith('Compaction'))).toEqual([])
  })

  it('ends with its turn when that is interrupted', async () => {
    const held = heldSummary()
    const { turn, session, types } = await openContextSession({
      answers: [{ text: 'so', usage: { inputTokens: 850 } }],
      summaries: [held.summary],
    })
    await turn(long('a'))
    const submission = session.submit('b')
    await held.isAsked

    expect(await session.interrupt()).toBe(true)
    expect((await submission.result()).status).toBe('interrupted')
    expect(held.wasAborted()).toBe(true)
    expect((await types()).filter((type) => type.startsWith('Compaction'))).toEqual([])
  })

  it('is given up when it had not begun', async () => {
    const { turn, session } = await openContextSession({
      answers: [{ text: 'so' }, { calls: ['1'] }],
      tools: [workTool(() => new Promise(() => undefined))],
      drainTimeoutMs: 0,
    })
    await turn(long('a'))
    const submission = session.submit('b')
    await submission.accepted
    await delivered()
    const compacting = session.compact()
    await delivered()
    await session.interrupt()

    expect(await compacting).toMatchObject({ status: 'rejected', cause: 'interrupted' })
  })

  it.each(['shutdown', 'stop'] as const)('ends with the session (%s), which keeps its last word', async (ending) => {
    const held = heldSummary()
    const { turn, session, store } = await openContextSession({ summaries: [held.summary] })
    await turn(long('a'))
    await turn('b')
    const compacting = session.compact()
    await held.isAsked
    const submission = session.submit('meanwhile')
    await submission.accepted
    await session[ending]()

    expect(await compacting).toMatchObject({ status: 'rejected', cause: 'interrupted' })
    expect((await submission.result()).status).toBe(ending === 'stop' ? 'cancelled' : 'waiting')
    const records = await store.ledger.read({ session: session.id, after: 0, limit: 500 })
    expect(records.filter(({ body }) => body.includes('"type":"Compaction'))).toEqual([])
    expect(records.at(-1)?.body).toContain(ending === 'stop' ? 'SessionStopped' : 'meanwhile')
  })

  it('rejects with the fault of the session', async () => {
    const held = heldSummary()
    const store = faultyStore(memoryStore(), faultAt(6, { kind: 'refused' }))
    const { turn, session } = await openContextSession({ summaries: [held.summary], store })
    await turn(long('a'))
    await turn('b')
    const compacting = session.compact()
    await held.isAsked
    held.open()

    await expect(compacting).rejects.toMatchObject({ code: 'session_faulted' })
    expect(session.fault).toBeDefined()
    expect(session.history()).toHaveLength(4)
  })

  it('gives up on a model that never ends, in its time', async () => {
    const clock = fakeClock()
    const held = heldSummary()
    const { turn, session } = await openContextSession({
      summaries: [held.summary],
      clock,
      context: { summaryTimeoutMs: 5_000 },
    })
    await turn(long('a'))
    await turn('b')
    const compacting = session.compact()
    await held.isAsked
    await clock.advance(5_000)

    expect(await compacting).toMatchObject({ status: 'rejected', cause: 'execution_failed' })
    expect(held.wasAborted()).toBe(true)
  })
})

describe('a guard of compactions', () => {
  async function guarded(check: () => Denial | undefined) {
    const ended: string[] = []
    const hooks = defineHooks({
      policyRevision: '1',
      guards: [{ operation: 'compaction', check }],
      around: [
        {
          operation: 'compaction',
          begin:
            ({ through }) =>
            (outcome) =>
              ended.push(`${through > 0} ${outcome}`),
        },
      ],
    })
    const client = contextClient([{ text: 'so' }])
    const loop = defineLoop({ name: 'main', client, model, context: policy })
    const session = await defineRig({ loops: [loop], store: memoryStore(), ids: countingIds(), hooks }).newSession()
    const recording = recordSession(session)
    await session.submit(long('a')).result()
    await session.submit('b').result()
    const result = await session.compact()
    await session.shutdown()
    return { result, recording, ended }
  }

  it('denies it before a model is asked', async () => {
    const { result, recording, ended } = await guarded(() => new Denial('no_summary', 'not here'))

    expect(result).toMatchObject({ status: 'rejected', cause: 'denied', usage: {} })
    expect(recording.events('CompactionRejected')).toMatchObject([{ cause: 'denied' }])
    expect(ended).toEqual(['true denied'])
  })

  it('denies it when it fails', async () => {
    const { result } = await guarded(() => {
      throw new Error('broken')
    })

    expect(result).toMatchObject({ cause: 'denied' })
  })

  it('lets it pass', async () => {
    const { result, ended } = await guarded(() => undefined)

    expect(result).toMatchObject({ status: 'committed' })
    expect(ended).toEqual(['true completed'])
  })
})
