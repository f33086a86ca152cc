import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../src/clock/deferred.ts'
import { interactiveGate, SessionError } from '../../src/index.ts'
import { allowing, calling, delivered, effectTool, openSession } from './open-session.ts'

/** A session whose turn runs `touch`: first a person is asked, then the tool waits for the test. */
async function openAsking() {
  const goOn = createDeferred<void>()
  const opened = await openSession({
    responses: [calling({ name: 'touch' }), { text: 'ok' }, { text: 'next' }],
    tools: [effectTool('touch', () => goOn.promise)],
    gate: interactiveGate({ access: [allowing('ask')] }),
  })
  const submission = opened.session.submit('Go')
  const { gateId } = await opened.recording.waitFor('PermissionRequested')
  const approve = () => opened.session.answer(gateId, { action: 'approve' })
  return { ...opened, submission, approve, goOn: goOn.resolve }
}

/** Tells later whether a promise has settled by now. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  const note = () => {
    done = true
  }
  promise.then(note, note)
  await delivered()
  return done
}

describe('Session.waitIdle', () => {
  it('resolves at once on an idle session', async () => {
    const { session } = await openSession()

    expect(await session.waitIdle()).toBe('idle')
  })

  it('counts an input that was submitted before', async () => {
    const { session } = await openSession({ responses: [{ text: 'ok' }, { text: 'ok' }] })
    session.submit('1')
    session.submit('2')

    const state = await session.waitIdle()

    expect(state).toBe('idle')
    expect(session.history()).toHaveLength(4)
  })

  it('waits through an open question, unless told to stop there', async () => {
    const { session, approve, goOn } = await openAsking()
    const idle = session.waitIdle()

    const early = await settled(idle)
    const waiting = await session.waitIdle({ orWaiting: true })
    await approve()
    goOn()

    expect([early, waiting, await idle]).toEqual([false, 'waiting', 'idle'])
  })

  it('is not waiting any more once the question is answered', async () => {
    const { session, approve, goOn } = await openAsking()
    await approve()
    const waiting = session.waitIdle({ orWaiting: true })

    const early = await settled(waiting)
    goOn()

    expect([early, await waiting]).toEqual([false, 'idle'])
  })

  it('resolves when a question comes up later', async () => {
    const { session } = await openSession({
      responses: [calling({ name: 'touch' })],
      tools: [effectTool('touch', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    session.submit('Go')

    const state = await session.waitIdle({ orWaiting: true })

    expect(state).toBe('waiting')
    expect(session.gates()).toHaveLength(1)
  })

  it('is waiting while a tool that runs waits for the answer to its question, and not after', async () => {
    const ask = defineTool({
      name: 'ask',
      description: 'Asks while it runs.',
      inputSchema: z.strictObject({}),
      prepare: () => ({ summary: 'ask', artifact: {}, requirements: [] }),
      run: async (_, { requestUserInput }) => textResult((await requestUserInput?.({ text: 'Go on?' })) ?? 'nobody'),
    })
    const responses = [calling({ name: 'ask' }), { text: 'ok' }]
    const { session } = await openSession({ responses, tools: [ask], gate: interactiveGate({ access: [] }) })
    session.submit('Go')

    const state = await session.waitIdle({ orWaiting: true })
    const [gate] = session.gates()
    if (gate !== undefined) await session.answer(gate.gateId, { answer: 'yes' })

    expect([state, gate?.kind]).toEqual(['waiting', 'question'])
    expect(await session.waitIdle({ orWaiting: true })).toBe('idle')
  })

  it('is not waiting while a turn that was interrupted at a question is closed', async () => {
    const { session } = await openAsking()

    const interrupted = session.interrupt()
    const state = await session.waitIdle({ orWaiting: true })

    expect([state, await interrupted]).toEqual(['idle', true])
  })

  it('rejects when the session is shut down meanwhile, and after', async () => {
    const { session } = await openAsking()
    const idle = session.waitIdle()
    const refused = idle.catch((error: unknown) => error)

    await session.shutdown()

    expect(await refused).toBeInstanceOf(SessionError)
    await expect(session.waitIdle()).rejects.toMatchObject({ code: 'session_closed' })
  })
})
