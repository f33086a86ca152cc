import { memoryStore } from '@looprig/store/memory'
import { errorResult, ToolError, type ToolResult, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import {
  DefinitionError,
  defineLoop,
  interactiveGate,
  type LoopOptions,
  type MiddlewareCall,
  MiddlewareError,
  type ToolMiddleware,
} from '../../src/index.ts'
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

/** Runs a turn whose one step calls `work` once, through the middlewares. */
async function callThrough(middlewares: readonly ToolMiddleware[], setup: Partial<Setup> = {}) {
  const ran: string[] = []
  const opened = await openSession({
    responses: [calling({ id: 'c1', name: 'work', input: { value: 'v' } }), { text: 'ok' }],
    tools: [effectTool('work', (value) => void ran.push(value))],
    loop: { middlewares },
    ...setup,
  })
  const result = await opened.session.submit('Go').result()
  await delivered()
  return { ...opened, ran, result, texts: resultTexts(opened.session.history()) }
}

const failedBefore = 'middleware_failed: a middleware failed before the call ran.'
const failedAfter =
  'middleware_failed: a middleware failed after the call was started. It may have happened. Check before you repeat it.'

describe('middlewares', () => {
  it('stand around the tool, the first one outermost', async () => {
    const log: string[] = []
    const around =
      (name: string): ToolMiddleware =>
      async (_call, next) => {
        log.push(`+${name}`)
        const result = await next()
        log.push(`-${name}`)
        return result
      }

    const { ran, texts } = await callThrough([around('a'), around('b')])

    expect(log).toEqual(['+a', '+b', '-b', '-a'])
    expect(ran).toEqual(['v'])
    expect(texts).toEqual(['work did v'])
  })

  it('are shown the call, frozen all the way down', async () => {
    let seen: MiddlewareCall | undefined

    await callThrough([
      (call, next) => {
        seen = call
        return next()
      },
    ])

    expect(seen).toMatchObject({
      toolUseId: 'c1',
      toolName: 'work',
      summary: 'work',
      artifact: { value: 'v' },
      replaySafe: false,
    })
    expect(seen?.executionId).toMatch(/^[0-9a-f-]{36}$/)
    expect(seen?.signal).toBeInstanceOf(AbortSignal)
    expect([Object.isFrozen(seen), Object.isFrozen(seen?.artifact)]).toEqual([true, true])
  })

  it('cannot change what runs', async () => {
    const { ran, texts } = await callThrough([
      (call, next) => {
        // proved: the cast is the attack
        const artifact = call.artifact as { value: string }
        expect(() => {
          artifact.value = 'other'
        }).toThrow(TypeError)
        return next()
      },
    ])

    expect(ran).toEqual(['v'])
    expect(texts).toEqual(['work did v'])
  })

  it('may give a result without running the tool', async () => {
    const { ran, texts } = await callThrough([() => textResult('from a cache')])

    expect(ran).toEqual([])
    expect(texts).toEqual(['from a cache'])
  })

  it('may give another result than the tool, which is shaped like any other', async () => {
    const long = 'x'.repeat(10_000)

    const { ran, session } = await callThrough(
      [
        async (_call, next) => {
          const { content } = await next()
          return { content: [...content, { type: 'text', text: `${long}\ud800` }], isError: true, code: 'changed' }
        },
      ],
      { limits: { resultBytes: 1_000 } },
    )

    expect(ran).toEqual(['v'])
    const [result] = resultsOf(session.history())
    expect(result?.isError).toBe(true)
    expect(JSON.stringify(result?.blocks).length).toBeLessThan(1_500)
  })

  it('are run after the start of the call is durable', async () => {
    const store = memoryStore()
    const kinds: string[] = []
    let session: string | undefined

    const responses = [calling({ name: 'work' }), { text: 'ok' }]
    const opened = await openSession({
      responses,
      store,
      tools: [effectTool('work', () => undefined)],
      loop: {
        middlewares: [
          async (_call, next) => {
            const records = await store.ledger.read({ session: session ?? '', after: 0, limit: 100 })
            kinds.push(...records.map(({ kind }) => kind))
            return next()
          },
        ],
      },
    })
    session = opened.session.id
    await opened.session.submit('Go').result()

    expect(kinds.filter((kind) => kind === 'step' || kind === 'run')).toEqual(['step', 'run'])
  })

  describe('that use next twice', () => {
    const twice =
      (seen: unknown[]): ToolMiddleware =>
      async (_call, next) => {
        const first = await next()
        try {
          await next()
        } catch (error) {
          seen.push(error)
        }
        return first
      }

    it('get an error, and no second effect, for a call whose start is recorded', async () => {
      const seen: unknown[] = []

      const { ran, texts } = await callThrough([twice(seen)])

      expect(seen).toHaveLength(1)
      expect(seen[0]).toBeInstanceOf(MiddlewareError)
      expect(seen[0]).toMatchObject({ code: 'next_repeated' })
      expect(ran).toEqual(['v'])
      expect(texts).toEqual(['work did v'])
    })

    it('get it wherever they stand, also at the same time', async () => {
      const seconds: unknown[] = []
      const both: ToolMiddleware = async (_call, next) => {
        const [first, second] = await Promise.allSettled([next(), next()])
        seconds.push(second?.status === 'rejected' ? second.reason.code : second?.status)
        return first?.status === 'fulfilled' ? first.value : textResult('none')
      }

      const { ran } = await callThrough([both, both, both])

      expect(ran).toEqual(['v'])
      expect(seconds).toEqual(['next_repeated', 'next_repeated', 'next_repeated'])
    })

    it('are told of an effect that may have happened when they let the error through', async () => {
      const { ran, texts } = await callThrough([
        async (_call, next) => {
          await next()
          return next()
        },
      ])

      expect(ran).toEqual(['v'])
      expect(texts).toEqual([failedAfter])
    })

    it('get it for a call that never got as far as the tool the first time', async () => {
      const { ran, texts } = await callThrough([
        async (_call, next) => {
          const first = await next()
          return first.isError ? next() : first
        },
        () => errorResult('busy', 'busy'),
      ])

      expect(ran).toEqual([])
      expect(texts).toEqual([failedBefore])
    })

    it('run a replay-safe call again, each time on a seal of its own', async () => {
      const ran: string[] = []
      const tools = [
        effectTool(
          'work',
          (value) => {
            ran.push(value)
            if (ran.length < 3) throw new ToolError('busy', 'busy')
          },
          { replaySafe: true },
        ),
      ]
      const retry: ToolMiddleware = async (_call, next) => {
        let result: ToolResult = await next()
        for (let tries = 1; result.isError && tries < 5; tries += 1) result = await next()
        return result
      }

      const { texts } = await callThrough([retry, (_call, next) => next()], { tools })

      expect(ran).toEqual(['v', 'v', 'v'])
      expect(texts).toEqual(['work did v'])
    })

    it('do not run a replay-safe call again that a person approved', async () => {
      const ran: string[] = []
      const opened = await openSession({
        responses: [calling({ name: 'work' }), { text: 'ok' }],
        tools: [effectTool('work', (value) => void ran.push(value), { replaySafe: true })],
        gate: interactiveGate({ access: [allowing('ask')] }),
        loop: {
          middlewares: [
            async (_call, next) => {
              await next()
              return next()
            },
          ],
        },
      })
      const submission = opened.session.submit('Go')
      const { gateId } = await opened.recording.waitFor('PermissionRequested')
      await opened.session.answer(gateId, { action: 'approve' })
      await submission.result()

      expect(ran).toEqual(['x'])
      expect(resultTexts(opened.session.history())).toEqual([failedAfter])
    })
  })

  it('are waited for with all that they started', async () => {
    const gone = createDeferred<void>()
    const { session, recording } = await openSession({
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', () => gone.promise)],
      loop: {
        middlewares: [
          (_call, next) => {
            void next()
            // nobody looks at this one, and it rejects
            void next()
            return textResult('early')
          },
        ],
      },
    })
    const submission = session.submit('Go')
    await recording.waitFor('ToolCallStarted')
    await delivered()
    const before = recording.events('ToolCallCompleted').length

    gone.resolve()
    await submission.result()

    expect(before).toBe(0)
    expect(resultTexts(session.history())).toEqual(['early'])
  })

  describe('that fail', () => {
    const throwing = () => {
      throw new Error('sentinel')
    }

    it.each<readonly [string, ToolMiddleware]>([
      ['throws', throwing],
      ['rejects', () => Promise.reject(new Error('sentinel'))],
      ['returns nothing', () => undefined as unknown as ToolResult],
      ['returns no result', () => 'sentinel' as unknown as ToolResult],
      [
        'returns content that throws',
        () => Object.defineProperty({ isError: false }, 'content', { get: throwing }) as never,
      ],
    ])('make an error result without detail when one %s', async (_what, middleware) => {
      const { ran, texts, result } = await callThrough([middleware])

      expect(ran).toEqual([])
      expect(texts).toEqual([failedBefore])
      expect(result.status).toBe('done')
    })

    it('say that the call was started when it was', async () => {
      const { ran, texts } = await callThrough([
        async (_call, next) => {
          await next()
          return throwing()
        },
      ])

      expect(ran).toEqual(['v'])
      expect(texts).toEqual([failedAfter])
    })

    it('tell the model what a ToolError says', async () => {
      const { texts } = await callThrough([
        () => {
          throw new ToolError('quota', 'the quota of today is used up')
        },
      ])

      expect(texts).toEqual(['the quota of today is used up'])
    })

    it('look like a result to those around them', async () => {
      const seen: unknown[] = []

      await callThrough([
        async (_call, next) => {
          const result = await next()
          seen.push(result.code)
          return result
        },
        throwing,
      ])

      expect(seen).toEqual(['middleware_failed'])
    })
  })

  it('are given an error result for a tool that fails', async () => {
    const codes: unknown[] = []
    const tools = [
      effectTool('work', () => {
        throw new Error('sentinel')
      }),
    ]

    const { texts } = await callThrough(
      [
        async (_call, next) => {
          const result = await next()
          codes.push(result.code)
          return result
        },
      ],
      { tools },
    )

    expect(codes).toEqual(['tool_failed'])
    expect(texts).toEqual(['the tool failed'])
  })

  it('start nothing after an interrupt: the call was never run', async () => {
    const waits = createDeferred<void>()
    const ran: string[] = []
    const { session, recording } = await openSession({
      responses: [calling({ name: 'work' })],
      tools: [effectTool('work', (value) => void ran.push(value))],
      loop: {
        middlewares: [
          async ({ signal }, next) => {
            await whenAborted(signal)
            waits.resolve()
            return next()
          },
        ],
      },
    })
    const submission = session.submit('Go')
    await recording.waitFor('ToolCallStarted')

    await session.interrupt()
    await waits.promise

    expect((await submission.result()).status).toBe('interrupted')
    expect(ran).toEqual([])
    expect(resultTexts(session.history())).toEqual([
      'not_executed: the call had ended before it ran; it changed nothing.',
    ])
  })

  it('start nothing after the step was closed without them', async () => {
    const clock = fakeClock()
    const late = createDeferred<void>()
    const ended = createDeferred<ToolResult>()
    const ran: string[] = []
    const { session, recording } = await openSession({
      responses: [calling({ name: 'work' }), { text: 'next' }],
      tools: [effectTool('work', (value) => void ran.push(value))],
      clock,
      loop: {
        middlewares: [
          async (_call, next) => {
            await late.promise
            ended.resolve(await next())
            return ended.promise
          },
        ],
      },
    })
    session.submit('Go')
    await recording.waitFor('ToolCallStarted')
    const interrupted = session.interrupt()
    await clock.advance(5_000)
    await interrupted

    late.resolve()

    expect(await ended.promise).toMatchObject({ isError: true, code: 'not_executed' })
    expect(ran).toEqual([])
    expect(resultTexts(session.history()).join()).toMatch(/^outcome_unknown/)
  })

  it('count as the time of the call', async () => {
    const clock = fakeClock()
    const never = createDeferred<never>()
    const ran: string[] = []
    const [definition] = [effectTool('work', (value) => void ran.push(value))]
    const limited = {
      ...definition,
      build: async (bindings: Parameters<typeof definition.build>[0]) =>
        (await definition.build(bindings)).map((tool) => Object.assign(tool, { timeoutMs: 1_000 })),
    }
    const { session, recording } = await openSession({
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [limited],
      clock,
      loop: { middlewares: [() => never.promise] },
    })
    const submission = session.submit('Go')
    await recording.waitFor('ToolCallStarted')

    await clock.advance(6_000)
    await submission.result()

    expect(resultTexts(session.history()).join()).toMatch(/^timed_out/)
    expect(ran).toEqual([])
  })

  it('are never reached by a call that is denied', async () => {
    let reached = 0
    const gate = interactiveGate({ access: [allowing('deny')] })

    const { ran, texts } = await callThrough(
      [
        (_call, next) => {
          reached += 1
          return next()
        },
      ],
      { gate },
    )

    expect([ran, reached]).toEqual([[], 0])
    expect(texts).toEqual(['permission denied [out of scope]: touch work:v'])
  })

  it.each([
    ['no list', 'x', 'middlewares'],
    ['no function', [(_call: unknown, next: () => unknown) => next(), 'x'], 'middlewares[1]'],
  ])('are refused when they are %s', (_what, middlewares, field) => {
    const define = () =>
      defineLoop({
        name: 'main',
        client: { stream: () => undefined, invoke: () => undefined } as unknown as LoopOptions['client'],
        model: { provider: 'p', name: 'm' },
        middlewares: middlewares as unknown as readonly ToolMiddleware[],
      })

    expect(define).toThrow(DefinitionError)
    expect(define).toThrow(field)
  })
})

describe('the start of a call', () => {
  it('does not happen when a sibling that started with it stopped the turn', async () => {
    const ran: string[] = []
    let interrupt = (): void => undefined
    const { session } = await openSession({
      responses: [calling({ id: 'a', name: 'work' }, { id: 'b', name: 'work' })],
      tools: [
        effectTool('work', (value) => {
          ran.push(value)
          interrupt()
        }),
      ],
    })
    interrupt = () => void session.interrupt()

    const result = await session.submit('Go').result()

    expect(result.status).toBe('interrupted')
    expect(ran).toEqual(['x'])
    expect(resultTexts(session.history())[1]).toMatch(/^not_executed/)
  })

  it('does not happen when the lease is lost between its record and its start', async () => {
    const ran: string[] = []
    const lost = new AbortController()
    const base = memoryStore()
    const store = faultyStore(base, (_number, { records }) =>
      records.some(({ kind }) => kind === 'run') ? { kind: 'hooked', after: () => lost.abort() } : undefined,
    )
    const acquire = async (session: string) => {
      const lease = await base.leases.acquire(session)
      return { session: lease.session, epoch: lease.epoch, lost: lost.signal, release: () => lease.release() }
    }
    const { session } = await openSession({
      responses: [calling({ name: 'work' })],
      tools: [effectTool('work', (value) => void ran.push(value))],
      store: { ...store, leases: { ...base.leases, acquire } },
    })

    const result = session.submit('Go').result()

    await expect(result).rejects.toMatchObject({ code: 'session_faulted', reason: 'lease_lost' })
    expect(ran).toEqual([])
  })

  it('is aborted when the lease is lost while it runs', async () => {
    const lost = new AbortController()
    const base = memoryStore()
    const acquire = async (session: string) => {
      const lease = await base.leases.acquire(session)
      return { session: lease.session, epoch: lease.epoch, lost: lost.signal, release: () => lease.release() }
    }
    let isAborted = false
    const started = createDeferred<void>()
    const { session } = await openSession({
      responses: [calling({ name: 'work' })],
      tools: [
        effectTool('work', async (_value, signal) => {
          started.resolve()
          await whenAborted(signal)
          isAborted = true
        }),
      ],
      store: { ...base, leases: { ...base.leases, acquire } },
    })
    const result = session.submit('Go').result()
    await started.promise

    lost.abort()

    await expect(result).rejects.toMatchObject({ reason: 'lease_lost' })
    expect(isAborted).toBe(true)
  })
})
