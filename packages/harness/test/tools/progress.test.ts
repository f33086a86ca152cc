import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../src/clock/deferred.ts'
import { fakeClock } from '../../src/testing.ts'
import { calling, delivered, openSession, whenAborted } from '../session/open-session.ts'

/** A running call whose progress the test tells, and what watchers hear of it. */
async function runningCall() {
  const clock = fakeClock()
  const gone = createDeferred<void>()
  const started = createDeferred<(text: string) => void>()
  const tool = defineTool({
    name: 'work',
    description: 'Works.',
    pure: true,
    inputSchema: z.strictObject({}),
    run: async (_input, { progress, signal }) => {
      started.resolve(progress ?? (() => undefined))
      await Promise.race([gone.promise, whenAborted(signal)])
      return textResult('done')
    },
  })
  const responses = [calling({ id: 'c1', name: 'work' }), { text: 'ok' }]
  const opened = await openSession({ responses, tools: [tool], clock })
  const submission = opened.session.submit('Go')
  const progress = await started.promise
  const heard = async () => {
    await delivered()
    return opened.recording.events('ToolProgress').map(({ text }) => text)
  }
  const end = async () => {
    gone.resolve()
    await submission.result()
  }
  return { ...opened, clock, progress, heard, end }
}

describe('the progress of a call', () => {
  it('is told at once, with the call that it is of', async () => {
    const { progress, recording, heard } = await runningCall()

    progress('10 %')

    expect(await heard()).toEqual(['10 %'])
    const [started] = recording.events('ToolCallStarted')
    const { loopId, turnId, stepId, toolExecutionId } = started ?? {}
    expect(recording.events('ToolProgress')).toMatchObject([
      { loopId, turnId, stepId, toolExecutionId, toolUseId: 'c1', text: '10 %' },
    ])
  })

  it('is told at most every 100 ms, the last text of each', async () => {
    const { progress, heard, clock } = await runningCall()

    for (const text of ['1', '2', '3']) progress(text)
    const atOnce = await heard()
    await clock.advance(99)
    const before = await heard()
    await clock.advance(1)
    const after = await heard()
    for (const text of ['4', '5']) progress(text)
    await clock.advance(100)

    expect([atOnce, before, after, await heard()]).toEqual([['1'], ['1'], ['1', '3'], ['1', '3', '5']])
  })

  it('is told at once again after a pause', async () => {
    const { progress, heard, clock } = await runningCall()
    progress('1')
    await clock.advance(100)

    progress('2')

    expect(await heard()).toEqual(['1', '2'])
    expect(clock.pending).toBe(1)
  })

  it('is not told after the end of the call, not even what came before', async () => {
    const { progress, heard, clock, end } = await runningCall()
    progress('1')
    progress('2')

    await end()
    progress('3')
    await clock.advance(1_000)

    expect(await heard()).toEqual(['1'])
    expect(clock.pending).toBe(0)
  })

  it('is at most 2 KiB of whole characters', async () => {
    const { progress, heard } = await runningCall()

    progress(`x${'😀'.repeat(1_000_000)}`)

    const [text = ''] = await heard()
    expect(Buffer.byteLength(text)).toBe(2_045)
    expect(text.isWellFormed()).toBe(true)
  })

  it.each([undefined, null, 5, {}])('is dropped when it is %j and no text', async (text) => {
    const { progress, heard } = await runningCall()

    progress(text as unknown as string)
    progress('\ud800')

    expect(await heard()).toEqual(['\ufffd'])
  })

  it('is not journalled', async () => {
    const { progress, store, session, end } = await runningCall()
    progress('secret')

    await end()

    const records = await store.ledger.read({ session: session.id, after: 0, limit: 100 })
    expect(records.some(({ body }) => body.includes('secret'))).toBe(false)
  })
})
