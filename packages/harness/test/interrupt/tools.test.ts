import { memoryStore } from '@looprig/store/memory'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../src/clock/deferred.ts'
import { type Gate, interactiveGate } from '../../src/index.ts'
import { fakeClock, faultyStore } from '../../src/testing.ts'
import {
  allowing,
  calling,
  delivered,
  effectTool,
  openSession,
  resultsOf,
  resultTexts,
  type Setup,
  whenAborted,
} from '../session/open-session.ts'

const call = (name: string, value = name) => ({ id: value, name, input: { value } })
const unknown = expect.stringMatching(/^outcome_unknown: this call was started and its result was lost/)
const notExecuted = expect.stringMatching(/^not_executed: /)

/** Runs one step of `calls` up to the start of its last call, then interrupts. */
async function interruptStep(setup: Setup, started: number) {
  const opened = await openSession(setup)
  const submission = opened.session.submit('Go')
  await opened.recording.waitFor('ToolCallStarted', started)
  await delivered()
  const interrupted = opened.session.interrupt()
  const end = async () => {
    await interrupted
    const result = await submission.result()
    await delivered()
    return { result, texts: resultTexts(opened.session.history()) }
  }
  return { ...opened, end }
}

describe('interrupt while tools run', () => {
  it('gives a tool its abort signal, and takes the result that it still has', async () => {
    const tool = effectTool('honest', (_value, signal) => whenAborted(signal))
    const { end } = await interruptStep({ responses: [calling(call('honest'))], tools: [tool] }, 1)

    const { result, texts } = await end()

    expect(result.status).toBe('interrupted')
    expect(texts).toEqual(['honest did honest'])
  })

  it('takes the failure of a tool that throws at the abort', async () => {
    const tool = effectTool('throwing', async (_value, signal) => {
      await whenAborted(signal)
      signal.throwIfAborted()
    })
    const { end } = await interruptStep({ responses: [calling(call('throwing'))], tools: [tool] }, 1)

    expect((await end()).texts).toEqual(['the tool failed'])
  })

  it('keeps finished results, and says of each other call what is known', async () => {
    const clock = fakeClock()
    const never = createDeferred<void>()
    const tools = [
      effectTool('quick', () => undefined),
      effectTool('stuck', () => never.promise),
      effectTool('reader', () => never.promise, { replaySafe: true }),
    ]
    const calls = [call('quick'), call('stuck'), call('reader'), call('quick', 'waiting')]
    const setup = { responses: [calling(...calls)], tools, clock, limits: { parallel: 2 } }
    const { end, session } = await interruptStep(setup, 3)

    await clock.advance(5_000)
    const { texts } = await end()

    expect(texts).toEqual(['quick did quick', unknown, notExecuted, notExecuted])
    expect(resultsOf(session.history()).map((result) => result.isError)).toEqual([false, true, true, true])
  })

  it('waits the drain time and no longer for a tool that ignores the abort', async () => {
    const clock = fakeClock()
    const never = createDeferred<void>()
    const tool = effectTool('stuck', () => never.promise)
    const { end, recording } = await interruptStep(
      { responses: [calling(call('stuck'))], tools: [tool], clock, drainTimeoutMs: 300 },
      1,
    )

    await clock.advance(299)
    const before = recording.events('TurnInterrupted').length
    await clock.advance(1)
    const { texts } = await end()

    expect(before).toBe(0)
    expect(texts).toEqual([unknown])
  })

  it('ignores a result that comes after the close', async () => {
    const clock = fakeClock()
    const late = createDeferred<void>()
    const setup = {
      responses: [calling(call('late')), { text: 'next' }],
      tools: [effectTool('late', () => late.promise)],
      clock,
    }
    const { end, session, recording, types } = await interruptStep(setup, 1)
    await clock.advance(5_000)
    await end()

    late.resolve()
    await delivered()
    const next = await session.submit('Go on').result()
    const told = await types()

    expect(next.text).toBe('next')
    expect(resultTexts(session.history())).toEqual([unknown])
    expect(recording.events('StepDone')).toHaveLength(2)
    expect(told.filter((type) => type === 'ToolCallCompleted')).toHaveLength(1)
  })

  it('tells watchers that the outcome of a call is unknown', async () => {
    const clock = fakeClock()
    const never = createDeferred<void>()
    const setup = { responses: [calling(call('late'))], tools: [effectTool('late', () => never.promise)], clock }
    const { end, recording } = await interruptStep(setup, 1)
    await clock.advance(5_000)

    await end()

    await delivered()
    expect(recording.events('ToolCallCompleted')).toMatchObject([{ isError: true, code: 'outcome_unknown' }])
  })

  it('means an input that is not durable yet', async () => {
    const tool = effectTool('work', (_value, signal) => whenAborted(signal))
    const { session } = await openSession({ responses: [calling(call('work'))], tools: [tool] })
    const submission = session.submit('Go')

    const interrupted = await session.interrupt()

    expect(interrupted).toBe(true)
    expect((await submission.result()).status).toBe('interrupted')
  })

  it('starts no further call', async () => {
    const ran: string[] = []
    const tool = effectTool('work', async (value, signal) => {
      ran.push(value)
      await whenAborted(signal)
    })
    const calls = ['1', '2', '3'].map((value) => call('work', value))
    const { end } = await interruptStep({ responses: [calling(...calls)], tools: [tool], limits: { parallel: 1 } }, 1)

    const { texts } = await end()

    expect(ran).toEqual(['1'])
    expect(texts).toEqual(['work did 1', notExecuted, notExecuted])
  })

  it('does not start what it only recorded: an interrupt between `run` record and start', async () => {
    const ran: string[] = []
    let atRun = (): void => undefined
    const store = faultyStore(memoryStore(), (_number, { records }) =>
      records.some((record) => record.kind === 'run') ? { kind: 'hooked', before: () => atRun() } : undefined,
    )
    const { session } = await openSession({
      responses: [calling(call('work'))],
      tools: [effectTool('work', (value) => void ran.push(value))],
      store,
    })
    atRun = () => void session.interrupt()

    const result = await session.submit('Go').result()

    expect(result.status).toBe('interrupted')
    expect(ran).toEqual([])
    expect(resultTexts(session.history())).toEqual([notExecuted])
  })

  it('does not wait for a preparation that hangs', async () => {
    const preparing = createDeferred<void>()
    const never = createDeferred<never>()
    const tool = defineTool({
      name: 'slow',
      description: 'Never gets ready.',
      inputSchema: z.strictObject({}),
      prepare: async () => {
        preparing.resolve()
        return await never.promise
      },
      run: () => textResult('ran'),
    })
    const { session } = await openSession({ responses: [calling({ name: 'slow' })], tools: [tool] })
    session.submit('Go')
    await preparing.promise

    await session.interrupt()

    expect(resultTexts(session.history())).toEqual([notExecuted])
  })

  it('does not wait for a gate that hangs', async () => {
    const judging = createDeferred<void>()
    const gate: Gate = {
      evaluate: () => {
        judging.resolve()
        return new Promise(() => undefined)
      },
    }
    const ran: string[] = []
    const tools = [effectTool('work', (value) => void ran.push(value))]
    const { session, types } = await openSession({ responses: [calling(call('work'))], tools, gate })
    session.submit('Go')
    await judging.promise

    await session.interrupt()

    expect(resultTexts(session.history())).toEqual([notExecuted])
    expect(ran).toEqual([])
    expect(await types()).not.toContain('PermissionDecided')
  })
})

describe('interrupt at an open gate', () => {
  async function interruptAtGate(...answered: readonly ('approve' | 'deny')[]) {
    const ran: string[] = []
    const opened = await openSession({
      responses: [calling(call('work', 'a'), call('work', 'b')), { text: 'next' }],
      tools: [effectTool('work', (value) => void ran.push(value))],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const submission = opened.session.submit('Go')
    await opened.recording.waitFor('PermissionRequested', 2)
    const gates = opened.session.gates()
    for (const [index, action] of answered.entries()) {
      const gate = gates[index]
      if (gate !== undefined) await opened.session.answer(gate.gateId, { action })
    }
    await opened.session.interrupt()
    await submission.result()
    await delivered()
    return { ...opened, ran, texts: resultTexts(opened.session.history()) }
  }

  it('abandons it, and never runs the call', async () => {
    const { ran, texts, recording, types } = await interruptAtGate()

    expect(ran).toEqual([])
    expect(texts).toEqual([notExecuted, notExecuted])
    expect(recording.events('GateResolved').map((event) => event.reason)).toEqual(['abandoned', 'abandoned'])
    expect((await types()).slice(-6)).toEqual([
      ...['GateResolved', 'GateResolved', 'StepDone', 'TurnInterrupted', 'LoopIdle', 'SessionIdle'],
    ])
  })

  it('does not run a sibling that was approved already', async () => {
    const { ran, texts } = await interruptAtGate('approve')

    expect(ran).toEqual([])
    expect(texts).toEqual([notExecuted, notExecuted])
  })

  it('keeps the denial of a sibling', async () => {
    const { texts } = await interruptAtGate('deny')

    expect(texts).toEqual(['permission denied [not authorized]: touch work:a', notExecuted])
  })

  it('survives an answer that comes while the turn is being closed', async () => {
    const { session, recording } = await openSession({
      responses: [calling(call('work', 'a'), call('work', 'b')), { text: 'next' }],
      tools: [effectTool('work', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const submission = session.submit('Go')
    const { gateId } = await recording.waitFor('PermissionRequested')

    const interrupted = session.interrupt()
    await session.answer(gateId, { action: 'approve' })
    await interrupted

    expect((await submission.result()).status).toBe('interrupted')
    expect(resultTexts(session.history())).toEqual([notExecuted, notExecuted])
    expect(await session.submit('Go on').result()).toMatchObject({ status: 'done', text: 'next' })
  })

  it('lets the next turn work', async () => {
    const { session } = await interruptAtGate()

    const next = await session.submit('Go on').result()

    expect(next).toMatchObject({ status: 'done', text: 'next' })
  })
})
