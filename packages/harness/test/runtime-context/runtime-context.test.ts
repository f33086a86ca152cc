import { type Message, textOf, userMessage } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { DefinitionError, defineLoop, type LoopOptions, type RuntimeContext } from '../../src/index.ts'
import { ContextTail } from '../../src/runtime-context/context-tail.ts'
import { readRecords } from '../journal/stores.ts'
import { calling, effectTool, openSession, type Setup } from '../session/open-session.ts'

/** Opens a session with a runtime context; every request must be one that a provider takes. */
function withContext(runtimeContext: RuntimeContext, setup: Partial<Setup> = {}) {
  return openSession({ responses: [{ text: 'ok' }], ...setup, loop: { runtimeContext } })
}

const last = (messages: readonly Message[] | undefined) => messages?.at(-1)
const textsOf = (message: Message | undefined) =>
  message?.blocks.map((block) => (block.type === 'text' ? block.text : block.type))

describe('the runtime context', () => {
  it('joins a copy of the last user message', async () => {
    const { session, requests } = await withContext(() => 'It is noon.')

    await session.submit('Go').result()

    expect(requests[0]?.messages).toHaveLength(1)
    expect(last(requests[0]?.messages)?.role).toBe('user')
    expect(textsOf(last(requests[0]?.messages))).toEqual(['Go', '\n\nIt is noon.'])
  })

  it('follows the results of a step as a message of its own', async () => {
    const { session, requests } = await withContext(() => 'It is noon.', {
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', () => undefined)],
    })

    const result = await session.submit('Go').result()

    expect(result.status).toBe('done')
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(textsOf(last(requests[1]?.messages))).toEqual(['It is noon.'])
    expect(textsOf(requests[1]?.messages[0])).toEqual(['Go'])
  })

  it('joins an input that was folded into the turn', async () => {
    const gone = createDeferred<void>()
    const { session, requests, recording } = await withContext(() => 'It is noon.', {
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', () => gone.promise)],
    })
    const submission = session.submit('Go')
    await recording.waitFor('ToolCallStarted')
    await session.submit('And this').accepted
    gone.resolve()

    await submission.result()

    expect(textsOf(last(requests[1]?.messages))).toEqual(['And this', '\n\nIt is noon.'])
  })

  it('is made once per turn, and anew for the next one', async () => {
    const turns: number[] = []
    const { session, requests } = await withContext(
      ({ turnIndex }) => {
        turns.push(turnIndex)
        return `turn ${turnIndex}`
      },
      {
        responses: [calling({ name: 'work' }), { text: 'ok' }, { text: 'ok' }],
        tools: [effectTool('work', () => undefined)],
      },
    )

    await session.submit('Go').result()
    await session.submit('Again').result()

    expect(turns).toEqual([1, 2])
    const tails = requests.map(({ messages }) => textsOf(last(messages))?.at(-1))
    expect(tails).toEqual(['\n\nturn 1', 'turn 1', '\n\nturn 2'])
  })

  it('is never part of the transcript, nor of the journal', async () => {
    const { session, requests, store } = await withContext(() => 'sentinel', {
      responses: [{ text: 'a' }, { text: 'b' }],
    })

    await session.submit('Go').result()
    await session.submit('Again').result()

    expect(JSON.stringify(session.history())).not.toContain('sentinel')
    expect(textsOf(requests[1]?.messages[0])).toEqual(['Go'])
    const records = await readRecords(store, session.id)
    expect(records.some(({ body }) => body.includes('sentinel'))).toBe(false)
  })

  it('gives an encoder the same message again where nothing changed', async () => {
    const { session, requests } = await withContext(() => 'It is noon.', {
      responses: [calling({ name: 'work' }), calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', () => undefined)],
    })

    await session.submit('Go').result()

    expect(last(requests[2]?.messages)).toBe(last(requests[1]?.messages))
    expect(Object.isFrozen(last(requests[2]?.messages))).toBe(true)
  })

  it('makes one copy of a message, however often a request is made', () => {
    const tail = new ContextTail('It is noon.')
    const messages = [userMessage('Go')]

    expect(tail.append(messages).at(-1)).toBe(tail.append(messages).at(-1))
    expect(tail.append([userMessage('Go')]).at(-1)).not.toBe(tail.append(messages).at(-1))
  })

  it('keeps its start and says that it was cut when it is longer than 4 KiB', async () => {
    const { session, requests } = await withContext(() => `x${'😀'.repeat(2_000)}`)

    await session.submit('Go').result()

    const text = textsOf(last(requests[0]?.messages))?.at(-1)?.slice(2) ?? ''
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096)
    expect(Buffer.byteLength(text)).toBeGreaterThan(4_090)
    expect(text.isWellFormed()).toBe(true)
    expect(text).toMatch(/😀\n\[cut here: the runtime context is too long\]$/u)
  })

  it('is sent whole at 4 KiB', async () => {
    const whole = 'x'.repeat(4_096)
    const { session, requests } = await withContext(() => whole)

    await session.submit('Go').result()

    expect(textsOf(last(requests[0]?.messages))).toEqual(['Go', `\n\n${whole}`])
  })

  it.each(['', ' \n '])('adds nothing when it is %j', async (blank) => {
    const { session, requests } = await withContext(() => blank)

    await session.submit('Go').result()

    expect(requests[0]?.messages).toEqual(session.history().slice(0, 1))
  })

  it.each<readonly [string, RuntimeContext]>([
    [
      'throws',
      () => {
        throw new Error('sentinel')
      },
    ],
    ['rejects', () => Promise.reject(new Error('sentinel'))],
    ['gives no text', () => 5 as unknown as string],
  ])('fails the turn before the model is asked when it %s', async (_what, provider) => {
    const { session, requests } = await withContext(provider)

    const result = await session.submit('Go').result()

    expect(result).toMatchObject({ status: 'failed', error: { code: 'runtime_context_failed' } })
    expect(JSON.stringify(result)).not.toContain('sentinel')
    expect(requests).toEqual([])
  })

  it('does not hold up an interrupt, and its signal aborts', async () => {
    const asked = createDeferred<AbortSignal>()
    const { session, requests } = await withContext(({ signal }) => {
      asked.resolve(signal)
      return new Promise(() => undefined)
    })
    const submission = session.submit('Go')
    const signal = await asked.promise

    await session.interrupt()

    expect((await submission.result()).status).toBe('interrupted')
    expect(signal.aborted).toBe(true)
    expect(requests).toEqual([])
  })

  it('is refused when it is no function', () => {
    const define = () =>
      defineLoop({
        name: 'main',
        client: { stream: () => undefined, invoke: () => undefined } as unknown as LoopOptions['client'],
        model: { provider: 'p', name: 'm' },
        runtimeContext: 'noon' as unknown as RuntimeContext,
      })

    expect(define).toThrow(DefinitionError)
    expect(define).toThrow(/^runtimeContext/)
  })

  it('leaves the answer as it is', async () => {
    const { session } = await withContext(() => 'It is noon.')

    const result = await session.submit('Go').result()

    expect(textOf(result.message?.blocks ?? [])).toBe('ok')
    expect(session.history().map(({ role }) => role)).toEqual(['user', 'assistant'])
  })
})
