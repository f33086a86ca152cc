import { defineTool, type Tool, type ToolDefinition, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../src/clock/deferred.ts'
import { fakeClock } from '../../src/testing.ts'
import {
  calling,
  delivered,
  effectTool,
  openSession,
  requirement,
  resultTexts,
  type Setup,
  whenAborted,
} from '../session/open-session.ts'

/** A tool with a time limit of 1,000 ms. */
function limited(
  name: string,
  run: (signal: AbortSignal) => unknown,
  options: { readonly timeoutMs?: number; readonly replaySafe?: boolean } = {},
): ToolDefinition {
  return defineTool({
    name,
    description: 'Works for a while.',
    timeoutMs: options.timeoutMs ?? 1_000,
    replaySafe: options.replaySafe,
    inputSchema: z.strictObject({}),
    prepare: () => ({ summary: name, artifact: {}, requirements: [requirement(name)] }),
    run: async (_artifact, { signal }) => {
      await run(signal)
      return textResult(`${name} done`)
    },
  })
}

/** Begins a turn whose one step calls each tool once, and waits until all that may run does. */
async function beginStep(tools: readonly ToolDefinition[], setup: Partial<Setup> = {}) {
  const clock = fakeClock()
  const responses = [calling(...tools.map(({ name }) => ({ id: name, name }))), { text: 'ok' }]
  const opened = await openSession({ responses, tools, clock, ...setup })
  const submission = opened.session.submit('Go')
  await opened.recording.waitFor('ToolCallStarted', tools.length)
  const end = async () => {
    const result = await submission.result()
    await delivered()
    return { result, texts: resultTexts(opened.session.history()) }
  }
  return { ...opened, clock, submission, end }
}

const stopped = 'timed_out: the call was stopped after 1000 ms.'
const ended = `${stopped} What it did until then may have happened. Check before you repeat it.`
const goesOn = `${stopped} It did not end when it was told to: it may have happened, or may still happen. Check before you repeat it.`

describe('a tool with a time limit', () => {
  it('runs as any other within its time, and leaves no timer behind', async () => {
    const { end, clock } = await beginStep([limited('quick', () => undefined)])

    const { texts } = await end()

    expect(texts).toEqual(['quick done'])
    expect(clock.pending).toBe(0)
  })

  it('is aborted when its time is over, not before, and the model reads how long it had', async () => {
    let reason: unknown
    const tool = limited('slow', async (signal) => {
      await whenAborted(signal)
      reason = signal.reason
    })
    const { end, clock, recording } = await beginStep([tool])

    await clock.advance(999)
    const before = reason
    await clock.advance(1)
    const { texts, result } = await end()

    expect(before).toBeUndefined()
    expect(reason).toMatchObject({ name: 'TimeoutError' })
    expect(texts).toEqual([ended])
    expect(result.status).toBe('done')
    expect(recording.events('ToolCallCompleted')).toMatchObject([
      { isError: true, code: 'timed_out', durationMs: 1_000 },
    ])
  })

  it('cannot hold the step when it ignores its abort: the drain time passes and no more', async () => {
    const never = createDeferred<void>()
    const { end, clock, recording } = await beginStep([limited('stuck', () => never.promise)], { drainTimeoutMs: 300 })

    await clock.advance(1_299)
    const before = recording.events('ToolCallCompleted').length
    await clock.advance(1)
    const { texts } = await end()

    expect(before).toBe(0)
    expect(texts).toEqual([goesOn])
  })

  it('has its late result dropped', async () => {
    const late = createDeferred<void>()
    const { end, clock, recording, session } = await beginStep([limited('late', () => late.promise)])
    await clock.advance(6_000)
    await end()

    late.resolve()
    await delivered()

    expect(resultTexts(session.history())).toEqual([goesOn])
    expect(recording.events('ToolCallCompleted')).toHaveLength(1)
    expect(recording.events('StepDone')).toHaveLength(2)
  })

  it('leaves its siblings alone', async () => {
    const gone = createDeferred<void>()
    const sibling = limited('sibling', () => gone.promise, { timeoutMs: 60_000 })
    const { end, clock } = await beginStep([limited('slow', whenAborted), sibling])

    await clock.advance(1_000)
    gone.resolve()
    const { texts } = await end()

    expect(texts).toEqual([ended, 'sibling done'])
  })

  it('says nothing of effects where there are none', async () => {
    const never = createDeferred<void>()
    const tool = limited('reader', () => never.promise, { replaySafe: true })
    const { end, clock } = await beginStep([tool])

    await clock.advance(6_000)

    expect((await end()).texts).toEqual([stopped])
  })

  it('frees its place for the next call when it has ended', async () => {
    const { end, clock, recording } = await beginStep([limited('slow', whenAborted)], {
      responses: [calling({ id: 'a', name: 'slow' }, { id: 'b', name: 'quick' }), { text: 'ok' }],
      tools: [limited('slow', whenAborted), effectTool('quick', () => undefined)],
      limits: { parallel: 1 },
    })
    const first = recording.events('ToolCallStarted').map(({ toolName }) => toolName)

    await clock.advance(1_000)
    const { texts } = await end()

    expect(first).toEqual(['slow'])
    expect(texts).toEqual([ended, 'quick did x'])
  })

  it('keeps its result at a restore while a sibling runs', async () => {
    const never = createDeferred<void>()
    const sibling = effectTool('sibling', () => never.promise)
    const { clock, store, session } = await beginStep([limited('slow', whenAborted), sibling])

    await clock.advance(1_050)
    await delivered()

    const records = await store.ledger.read({ session: session.id, after: 0, limit: 100 })
    const end = records.find(({ id }) => id.startsWith('run/') && id.endsWith('/end'))
    expect(end?.body).toContain('timed_out')
    never.resolve()
  })

  describe('when its turn is interrupted', () => {
    it('is aborted with the turn', async () => {
      const reasons: unknown[] = []
      const tool = limited('slow', async (signal) => {
        await whenAborted(signal)
        reasons.push(signal.reason)
      })
      const { end, session } = await beginStep([tool])

      await session.interrupt()
      const { result } = await end()

      expect(reasons).toEqual(['interrupt'])
      expect(result.status).toBe('interrupted')
    })

    it('has its drain time and no time limit any more', async () => {
      const never = createDeferred<void>()
      const { end, session, clock } = await beginStep([limited('stuck', () => never.promise)])
      await clock.advance(900)

      const interrupted = session.interrupt()
      await clock.advance(5_000)
      await interrupted

      expect((await end()).texts[0]).toMatch(/^outcome_unknown/)
    })

    it('keeps a result that comes in its drain time, after its limit would have been over', async () => {
      const gone = createDeferred<void>()
      const { end, session, clock } = await beginStep([limited('slow', () => gone.promise)])
      await clock.advance(900)

      const interrupted = session.interrupt()
      await clock.advance(200)
      gone.resolve()
      await interrupted

      expect((await end()).texts).toEqual(['slow done'])
    })

    it('is timed out when that came first', async () => {
      const never = createDeferred<void>()
      const { end, session, clock } = await beginStep([limited('stuck', () => never.promise)])
      await clock.advance(2_000)

      const interrupted = session.interrupt()
      await clock.advance(5_000)
      await interrupted

      expect((await end()).texts).toEqual([goesOn])
    })
  })

  it('of a third party that cannot be read is an error result', async () => {
    const definition = effectTool('work', () => undefined)
    const broken: ToolDefinition = {
      ...definition,
      build: async (bindings) =>
        (await definition.build(bindings)).map((tool) =>
          Object.defineProperty(tool, 'timeoutMs', {
            get: () => {
              throw new Error('sentinel')
            },
          }),
        ),
    }
    const { end } = await beginStep([broken])

    expect((await end()).texts).toEqual(['the tool failed'])
  })

  it.each([0, -1, Number.NaN, '5', null])('takes %j of a foreign tool as no limit', async (timeoutMs) => {
    const info = { name: 'odd', description: 'Odd.', inputSchema: { type: 'object' }, schemaDigest: '0'.repeat(64) }
    const tool = {
      info,
      replaySafe: true,
      sequential: false,
      timeoutMs,
      prepareCall: async () => ({ request: { toolName: 'odd', summary: 'odd', requirements: [] }, artifact: 1 }),
      invoke: async () => textResult('odd done'),
      writeTarget: () => undefined,
      auditSummary: () => 'odd',
    } as unknown as Tool
    const { name, schemaDigest } = info
    const { end, clock } = await beginStep([
      { name, requires: [], produces: [{ name, schemaDigest }], build: async () => [tool] },
    ])

    expect((await end()).texts).toEqual(['odd done'])
    expect(clock.pending).toBe(0)
  })
})
