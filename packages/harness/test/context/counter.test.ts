import type { InferenceRequest } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import type { ContextCounter } from '../../src/index.ts'
import { fakeClock } from '../../src/testing.ts'
import { delivered, whenAborted } from '../session/open-session.ts'
import { asksForSummary, long, openContextSession, used } from './context-session.ts'

/** An exact counter that says what `count` says, and keeps what it was asked. */
function counting(count: (request: InferenceRequest, n: number) => number | Promise<number>) {
  const asked: InferenceRequest[] = []
  const counter: ContextCounter = {
    exact: true,
    count: async (request) => {
      asked.push(request)
      return count(request, asked.length)
    },
  }
  return { counter, asked }
}

const isWhole = ({ messages }: InferenceRequest) => messages.length > 1

describe('a context counter', () => {
  it('counts the request that is sent next, before it is sent', async () => {
    const { counter, asked } = counting(() => 100)
    const { turn, requests } = await openContextSession({ context: { counter } })
    await turn('a')
    await turn('b')

    expect(asked).toEqual(requests)
  })

  it('counts instead of what the provider reports', async () => {
    const { counter } = counting(() => 100)
    const { turn, requests } = await openContextSession({
      context: { counter },
      answers: [{ text: 'so', usage: used(2_000) }],
    })
    await turn(long('a'))
    await turn('b')

    expect(requests.some(asksForSummary)).toBe(false)
  })

  it('fails the first turn that is too long, before its request', async () => {
    const { counter } = counting(() => 1_000)
    const { turn, requests } = await openContextSession({ context: { counter } })

    expect(await turn('a')).toMatchObject({ status: 'failed', error: { code: 'context_limit' } })
    expect(requests).toEqual([])
  })

  it('counts again after a compaction', async () => {
    let isShort = false
    const { counter } = counting((request) => (isWhole(request) && !isShort ? 900 : 50))
    const { turn, recording, requests } = await openContextSession({ context: { counter } })
    await turn(long('a'))
    const submission = turn('b')
    await recording.waitFor('CompactionCommitted')
    isShort = true
    await submission
    await delivered()

    expect(requests.filter(asksForSummary)).toHaveLength(1)
    expect(recording.events('ContextPressure').map(({ level }) => level)).toContain('compact')
  })

  it('stops a turn that a compaction did not make short enough', async () => {
    const { counter } = counting((request) => (isWhole(request) ? 1_100 : 50))
    const { turn, recording } = await openContextSession({ context: { counter } })
    await turn(long('a'))

    expect(await turn('b')).toMatchObject({ status: 'failed', error: { code: 'context_limit' } })
    expect(recording.events('CompactionCommitted')).toHaveLength(1)
  })

  it('counts the tail before a summary is asked for', async () => {
    const { counter } = counting((request, n) => (n <= 2 ? (isWhole(request) ? 900 : 50) : 701))
    const { turn, requests, recording } = await openContextSession({ context: { counter } })
    await turn(long('a'))
    await turn('b')

    expect(recording.events('CompactionRejected')).toMatchObject([{ cause: 'retained_tail_too_large' }])
    expect(recording.events('CompactionRejected')[0]).not.toHaveProperty('usage')
    expect(requests.some(asksForSummary)).toBe(false)
  })

  it('counts the summary', async () => {
    const { counter } = counting(({ system, messages: [first], messages }) => {
      const [block] = first?.blocks ?? []
      const isSummary = messages.length === 1 && block?.type === 'text' && block.text.includes('<summary>')
      return isSummary && system === undefined ? 301 : messages.length > 1 ? 900 : 50
    })
    const { turn, recording, session } = await openContextSession({ context: { counter } })
    await turn(long('a'))
    await turn('b')

    expect(recording.events('CompactionRejected')).toMatchObject([{ cause: 'summary_too_large' }])
    expect(session.history()).toHaveLength(4)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('secret at https://count.test'))],
    ['says no number', async () => Number.NaN],
    ['says a fraction', async () => 1.5],
    ['says less than nothing', async () => -1],
    ['says a text', async () => '7' as unknown as number],
  ])('fails the turn before its request when it %s', async (_, count) => {
    const { turn, requests } = await openContextSession({ context: { counter: { exact: true, count } } })
    const result = await turn('a')

    expect(result).toMatchObject({ status: 'failed', error: { code: 'context_count_failed' } })
    expect(JSON.stringify(result)).not.toContain('secret')
    expect(requests).toEqual([])
  })

  it('fails the turn when it throws at once', async () => {
    const count = () => {
      throw new Error('no')
    }
    const { turn } = await openContextSession({ context: { counter: { exact: true, count } } })

    expect(await turn('a')).toMatchObject({ error: { code: 'context_count_failed' } })
  })

  it('has its time', async () => {
    const clock = fakeClock()
    let wasAborted = false
    const count: ContextCounter['count'] = async (_, { signal }) => {
      await whenAborted(signal)
      wasAborted = true
      return new Promise(() => undefined)
    }
    const { turn } = await openContextSession({
      clock,
      context: { counter: { exact: true, count }, countTimeoutMs: 2_000 },
    })
    const result = turn('a')
    await clock.whenPending()
    await clock.advance(2_000)

    expect(await result).toMatchObject({ error: { code: 'context_count_failed' } })
    expect(wasAborted).toBe(true)
  })

  it('rejects a compaction when it fails meanwhile', async () => {
    const { counter } = counting((request, n) => {
      if (n === 3) throw new Error('no')
      return isWhole(request) ? 900 : 50
    })
    const { turn, recording } = await openContextSession({ context: { counter } })
    await turn(long('a'))

    expect((await turn('b')).status).toBe('done')
    expect(recording.events('CompactionRejected')).toMatchObject([{ cause: 'context_count_failed' }])
  })

  it('leaves an interrupted turn interrupted', async () => {
    const count: ContextCounter['count'] = async (_, { signal }) => {
      await whenAborted(signal)
      throw new Error('aborted')
    }
    const { session } = await openContextSession({ context: { counter: { exact: true, count } } })
    const submission = session.submit('a')
    await submission.accepted
    await session.interrupt()

    expect((await submission.result()).status).toBe('interrupted')
  })
})
