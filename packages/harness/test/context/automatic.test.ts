import { textOf } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { transcriptFault } from '../../src/testing/transcript-fault.ts'
import { delivered, whenAborted } from '../session/open-session.ts'
import { asksForSummary, long, openContextSession, used, workTool } from './context-session.ts'

describe('automatic compaction', () => {
  it('folds the head into a summary at compactAt, and the next request is summary and tail', async () => {
    const { turn, requests, recording, session } = await openContextSession({
      answers: [
        { text: 'in a.ts', usage: used(850) },
        { text: 'yes', usage: used(200) },
      ],
    })
    await turn(long('Where is X?'))
    await turn('Sure?')

    expect(requests.map(asksForSummary)).toEqual([false, true, false])
    const [summary, last] = requests[2]?.messages ?? []
    expect(requests[2]?.messages).toHaveLength(2)
    expect(textOf(summary?.blocks ?? [])).toContain('X is in a.ts.')
    expect(last?.blocks).toEqual([{ type: 'text', text: 'Sure?' }])
    expect(session.history().at(0)).toEqual(summary)
    expect(recording.events('CompactionCommitted')).toMatchObject([
      { reason: 'automatic', usage: { inputTokens: 500 } },
    ])
  })

  it('does nothing below compactAt', async () => {
    const { turn, requests } = await openContextSession({ answers: [{ text: 'so', usage: used(799) }] })
    await turn(long('a'))
    await turn('b')

    expect(requests.some(asksForSummary)).toBe(false)
  })

  it('runs between two steps of a turn, and parts no call from its result', async () => {
    const { turn, requests, session } = await openContextSession({
      tools: [workTool()],
      answers: [
        { text: 'in a.ts', usage: used(300) },
        { calls: ['1', '2'], usage: used(900) },
        { text: 'done', usage: used(250) },
      ],
    })
    await turn(long('Where is X?'))
    const result = await turn('Change it.')

    expect(result.status).toBe('done')
    expect(requests.map(asksForSummary)).toEqual([false, false, true, false])
    expect(requests[3]?.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool', 'tool'])
    expect(
      transcriptFault([...session.history(), { role: 'user', blocks: [{ type: 'text', text: 'x' }] }]),
    ).toBeUndefined()
  })

  it('keeps what a turn cost apart from what its compaction cost', async () => {
    const { turn, rig, session } = await openContextSession({
      answers: [
        { text: 'in a.ts', usage: used(850) },
        { text: 'yes', usage: used(200) },
      ],
    })
    await turn(long('Where is X?'))
    const { usage } = await turn('Sure?')

    expect(usage).toEqual(used(200))
    expect((await rig.inspect(session.id)).loops[0]?.usage).toEqual({ inputTokens: 1_530, outputTokens: 70 })
  })

  it('asks without tools, without the loop’s system text, and for no longer answer than is reserved', async () => {
    const { turn, requests } = await openContextSession({
      tools: [workTool()],
      answers: [{ text: 'so', usage: used(850) }],
    })
    await turn(long('a'))
    await turn('b')
    const request = requests.find(asksForSummary)

    expect(request?.tools).toBeUndefined()
    expect(request?.sampling).toEqual({ maxOutputTokens: 400 })
    expect(request?.system).toContain('<open_items>')
  })

  it('goes on unchanged when it is rejected below the limit', async () => {
    const { turn, requests, recording, session } = await openContextSession({
      answers: [{ text: 'so', usage: used(850) }],
      summaries: ['The user wants X.'],
    })
    await turn(long('a'))
    const before = session.history()
    const result = await turn('b')

    expect(result.status).toBe('done')
    expect(recording.events('CompactionRejected')).toMatchObject([
      { reason: 'automatic', cause: 'invalid_summary', usage: { inputTokens: 500, outputTokens: 50 } },
    ])
    expect(requests.at(-1)?.messages.slice(0, 2)).toEqual(before)
  })

  it('does not try the same head twice, and tries again when there is more to summarise', async () => {
    const { turn, requests } = await openContextSession({
      tools: [workTool()],
      answers: [
        { text: 'so', usage: used(850) },
        { calls: ['1'], usage: used(860) },
        { calls: ['2'], usage: used(870) },
        { text: 'x', usage: used(880) },
      ],
      summaries: ['no'],
    })
    await turn(long('a'))
    await turn('b')
    expect(requests.filter(asksForSummary)).toHaveLength(1)

    await turn('c')
    expect(requests.filter(asksForSummary)).toHaveLength(2)
  })

  it('is not tried again after one until the pressure was normal', async () => {
    const { turn, requests } = await openContextSession({ answers: [{ text: long('so', 50), usage: used(850) }] })
    await turn(long('a'))
    await turn(long('b', 200))
    await turn(long('c', 200))
    await turn(long('d', 200))

    expect(requests.filter(asksForSummary)).toHaveLength(1)
  })

  it('is tried again when the pressure was normal', async () => {
    const { turn, requests, session } = await openContextSession({
      answers: [850, 300, 850, 300].map((tokens) => ({ text: long('so', 100), usage: used(tokens) })),
    })
    for (const text of ['a', 'b', 'c', 'd']) await turn(long(text))

    expect(requests.filter(asksForSummary)).toHaveLength(2)
    expect(textOf(requests.filter(asksForSummary)[1]?.messages[0]?.blocks ?? [])).toContain('<earlier_summary>')
    expect(session.history().filter(({ blocks }) => textOf(blocks).includes('<summary>'))).toHaveLength(1)
  })

  it('is off when it is told to be off', async () => {
    const { turn, requests } = await openContextSession({
      answers: [{ text: 'so', usage: used(850) }],
      context: { automatic: false },
    })
    await turn(long('a'))

    expect((await turn('b')).status).toBe('done')
    expect(requests.some(asksForSummary)).toBe(false)
  })

  it('is off while the window is not known', async () => {
    const { limits: _, ...unknown } = { provider: 'scripted', name: 'm', capabilities: { images: true }, limits: 0 }
    const { turn, requests, recording } = await openContextSession({
      answers: [{ text: 'so', usage: used(1_000_000) }],
      model: unknown,
    })
    await turn(long('a'))

    expect((await turn('b')).status).toBe('done')
    expect(requests.some(asksForSummary)).toBe(false)
    expect(recording.events('ContextPressure')).toEqual([])
  })
})

describe('context pressure', () => {
  it('is told when the level changes, and only then', async () => {
    const { turn, recording } = await openContextSession({
      answers: [100, 850, 860, 700, 500, 400].map((tokens) => ({ text: 'so', usage: used(tokens) })),
      context: { automatic: false },
    })
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) await turn(text)
    await delivered()

    expect(recording.events('ContextPressure')).toMatchObject([
      { inputTokens: 850, limitTokens: 1_000, previous: 'normal', level: 'compact' },
      { inputTokens: 500, limitTokens: 1_000, previous: 'compact', level: 'normal' },
    ])
  })

  it('counts what was read from and written to a cache', async () => {
    const usage = {
      inputTokens: 1,
      cacheReadTokens: 700,
      cacheCreationTokens: 100,
      outputTokens: 10,
      reasoningTokens: 9,
    }
    const { turn, recording } = await openContextSession({
      answers: [{ text: 'so', usage }],
      context: { automatic: false },
    })
    await turn('a')
    await delivered()

    expect(recording.events('ContextPressure')).toMatchObject([{ inputTokens: 811, level: 'compact' }])
  })

  it('is not made up when the provider reports nothing', async () => {
    const { turn, recording, requests } = await openContextSession()
    await turn(long('a', 5_000))
    await turn(long('b', 5_000))

    expect(recording.events('ContextPressure')).toEqual([])
    expect(requests).toHaveLength(2)
  })
})

describe('the hard limit', () => {
  it('fails the turn before its request when nothing may be compacted', async () => {
    const { turn, requests } = await openContextSession({
      answers: [{ text: 'so', usage: used(1_000) }],
      context: { automatic: false },
    })
    await turn(long('a'))
    const result = await turn('b')

    expect(result).toMatchObject({ status: 'failed', error: { code: 'context_limit' } })
    expect(requests).toHaveLength(1)
  })

  it('fails the turn when its compaction is rejected', async () => {
    const { turn, requests, types } = await openContextSession({
      answers: [{ text: 'so', usage: used(1_200) }],
      summaries: [{ error: 'network' }],
    })
    await turn(long('a'))
    const result = await turn('b')

    expect(result).toMatchObject({ status: 'failed', error: { code: 'context_limit' } })
    expect(requests.map(asksForSummary)).toEqual([false, true])
    expect((await types()).slice(-4)).toEqual(['CompactionRejected', 'TurnFailed', 'LoopIdle', 'SessionIdle'])
  })

  it('is passed by a compaction', async () => {
    const { turn } = await openContextSession({
      answers: [
        { text: 'so', usage: used(1_200) },
        { text: 'done', usage: used(100) },
      ],
    })
    await turn(long('a'))

    expect((await turn('b')).status).toBe('done')
  })

  it('keeps one segment when the kept ones would be all', async () => {
    const { turn, session } = await openContextSession({
      answers: [
        { text: 'so', usage: used(1_200) },
        { text: 'done', usage: used(100) },
      ],
      context: { keepRecentSegments: 9, maxSummaryTokens: 200 },
    })
    await turn(long('a', 250))

    expect((await turn('b')).status).toBe('done')
    expect(session.history()).toHaveLength(3)
  })

  it('stops a turn whose one segment fills the window, after the step that did it', async () => {
    const { turn, requests, recording } = await openContextSession({
      tools: [workTool()],
      answers: [{ calls: ['1'], usage: used(1_100) }, { text: 'never' }],
    })
    const result = await turn(long('all at once'))

    expect(result).toMatchObject({ status: 'failed', error: { code: 'context_limit' } })
    expect(requests).toHaveLength(1)
    expect(recording.events('StepDone')).toHaveLength(1)
    expect(recording.events('CompactionRejected')).toEqual([])
  })

  it('lets the next turn go on: what filled the window is summarised then', async () => {
    const { turn } = await openContextSession({
      tools: [workTool()],
      answers: [
        { calls: ['1'], usage: used(1_100) },
        { text: 'done', usage: used(200) },
      ],
    })
    await turn(long('all at once'))

    expect((await turn('go on')).status).toBe('done')
  })
})

describe('a context_overflow of the provider', () => {
  const overflow = { error: 'context_overflow' } as const

  it('compacts once and sends the request again', async () => {
    const { turn, requests, recording } = await openContextSession({
      answers: [{ text: 'so' }, overflow, { text: 'done' }],
    })
    await turn(long('a'))
    const result = await turn('b')

    expect(result).toMatchObject({ status: 'done', text: 'done' })
    expect(requests.map(asksForSummary)).toEqual([false, false, true, false])
    expect(recording.events('CompactionCommitted')).toHaveLength(1)
  })

  it('fails the turn when the request is refused again', async () => {
    const { turn, requests } = await openContextSession({ answers: [{ text: 'so' }, overflow] })
    await turn(long('a'))
    const result = await turn('b')

    expect(result).toMatchObject({ status: 'failed', error: { code: 'context_overflow' } })
    expect(requests.map(asksForSummary)).toEqual([false, false, true, false])
  })

  it('compacts no second time for the same request, even if it could', async () => {
    const { turn, recording } = await openContextSession({
      answers: [{ text: 'so' }, { text: 'so' }, overflow],
      context: { keepRecentSegments: 2, maxSummaryTokens: 200 },
    })
    for (const text of [long('a'), long('b', 100)]) await turn(text)
    const result = await turn('c')

    expect(result).toMatchObject({ status: 'failed', error: { code: 'context_overflow' } })
    expect(recording.events('CompactionCommitted')).toHaveLength(1)
  })

  it('leaves a turn interrupted that is interrupted meanwhile', async () => {
    let asked: () => void = () => undefined
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const { turn, session } = await openContextSession({
      answers: [{ text: 'so' }, overflow],
      summaries: [
        async function* (signal) {
          asked()
          yield { type: 'block_start', blockIndex: 0, block: { type: 'text' } }
          await whenAborted(signal)
        },
      ],
    })
    await turn(long('a'))
    const submission = session.submit('b')
    await isAsked
    await session.interrupt()

    expect((await submission.result()).status).toBe('interrupted')
  })

  it('fails the turn as it was when nothing could be compacted', async () => {
    const { turn, requests } = await openContextSession({ answers: [{ text: 'so' }, overflow], summaries: ['no'] })
    await turn(long('a'))

    expect(await turn('b')).toMatchObject({ status: 'failed', error: { code: 'context_overflow' } })
    expect(requests.map(asksForSummary)).toEqual([false, false, true])
  })

  it('is recovered from while the window is not known', async () => {
    const { turn } = await openContextSession({
      answers: [{ text: 'so' }, overflow, { text: 'done' }],
      model: { provider: 'scripted', name: 'm', capabilities: { images: true } },
    })
    await turn(long('a'))

    expect((await turn('b')).status).toBe('done')
  })
})
