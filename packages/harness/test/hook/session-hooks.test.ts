import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import {
  Denial,
  defineHooks,
  type Guard,
  type HookOperation,
  type HookOutcome,
  type HookSubjects,
  interactiveGate,
  type Observer,
} from '../../src/index.ts'
import { fakeClock, faultyStore } from '../../src/testing.ts'
import {
  allowing,
  calling,
  delivered,
  effectTool,
  openSession,
  resultTexts,
  type Setup,
  streamingClient,
  textEvents,
  whenAborted,
} from '../session/open-session.ts'

const operations: readonly HookOperation[] = ['turn', 'step', 'inference', 'tool_call', 'gate_wait', 'tool_execution']

/** Observers of everything that a turn does, and what they were told. */
function watchAll(name = '') {
  const told: string[] = []
  const subjects: HookSubjects[HookOperation][] = []
  const around = operations.map(
    (operation) =>
      ({
        operation,
        begin: (subject: HookSubjects[HookOperation]) => {
          subjects.push(subject)
          told.push(`+${name}${operation}`)
          return (outcome: HookOutcome) => void told.push(`-${name}${operation} ${outcome}`)
        },
        // proved: it takes the subject of every operation
      }) as Observer,
  )
  return { told, subjects, around }
}

async function observed(setup: Partial<Setup>, guards?: readonly Guard[]) {
  const { told, subjects, around } = watchAll()
  const hooks = defineHooks({ around, ...(guards === undefined ? {} : { guards, policyRevision: 'v1' }) })
  return { told, subjects, ...(await openSession({ hooks, ...setup })) }
}

const answer = ['+step', '+inference', '-inference completed', '-step completed']

describe('the observers of a session', () => {
  it('are told of all that a turn does, from the outside in', async () => {
    const { session, told, subjects } = await observed({
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', () => undefined)],
    })

    await session.submit('Go').result()

    expect(told).toEqual([
      ...['+turn', '+step', '+inference', '-inference completed', '+tool_call', '+tool_execution'],
      ...['-tool_execution completed', '-tool_call completed', '-step completed'],
      ...[...answer, '-turn completed'],
    ])
    for (const subject of subjects) {
      expect(subject).toMatchObject({ sessionId: session.id, loopId: session.loopId, loopName: 'main' })
      expect(Object.isFrozen(subject)).toBe(true)
    }
  })

  it('are shown what runs, frozen', async () => {
    const { session, subjects } = await observed({
      responses: [calling({ name: 'work', input: { value: 'v' } }), { text: 'ok' }],
      tools: [effectTool('work', () => undefined)],
    })

    await session.submit('Go').result()

    const calls = subjects.filter((subject) => 'artifact' in subject)
    expect(calls).toHaveLength(2)
    for (const call of calls) {
      expect(call).toMatchObject({ toolName: 'work', artifact: { value: 'v' }, request: { toolName: 'work' } })
      expect(Object.isFrozen('artifact' in call && call.artifact)).toBe(true)
    }
    const requests = subjects.flatMap((subject) =>
      'request' in subject && 'messages' in subject.request ? [subject] : [],
    )
    expect(requests.map(({ request }) => Object.isFrozen(request))).toEqual([true, true])
  })

  it('are told how a call failed, and how one was refused', async () => {
    const { session, told } = await observed({
      responses: [calling({ name: 'broken' }, { name: 'refused' }, { name: 'unknown' }), { text: 'ok' }],
      tools: [
        effectTool('broken', () => {
          throw new Error('x')
        }),
        effectTool('refused', () => undefined),
      ],
      gate: interactiveGate({ access: [allowing(({ match }) => (match.startsWith('refused') ? 'deny' : 'allow'))] }),
    })

    await session.submit('Go').result()

    const calls = told.filter((line) => line.includes('tool_'))
    expect(calls).toEqual([
      ...['+tool_call', '+tool_call', '+tool_execution', '-tool_execution failed'],
      ...['-tool_call failed', '-tool_call denied'],
    ])
  })

  it.each([
    ['approve', 'completed', ['+tool_execution', '-tool_execution completed', '-tool_call completed']],
    ['deny', 'denied', ['-tool_call denied']],
  ] as const)('are told of the wait at a gate: %s', async (action, outcome, after) => {
    const { session, told, recording } = await observed({
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const submission = session.submit('Go')
    const { gateId } = await recording.waitFor('PermissionRequested')
    const atGate = told.at(-1)

    await session.answer(gateId, { action })
    await submission.result()

    expect(atGate).toBe('+gate_wait')
    const from = told.indexOf('+gate_wait')
    expect(told.slice(from + 1, from + 2 + after.length)).toEqual([`-gate_wait ${outcome}`, ...after])
  })

  it('are told once of what an interrupt ends, from the inside out', async () => {
    const { session, told, recording } = await observed({
      responses: [calling({ name: 'work' })],
      tools: [effectTool('work', (_value, signal) => whenAborted(signal))],
    })
    session.submit('Go')
    await recording.waitFor('ToolCallStarted')

    await session.interrupt()

    expect(told.slice(told.indexOf('+tool_execution') + 1)).toEqual([
      ...['-tool_execution completed', '-tool_call completed', '-step interrupted', '-turn interrupted'],
    ])
  })

  it('are told of a call that ignores its abort when nobody waits for it any more', async () => {
    const clock = fakeClock()
    const late = createDeferred<void>()
    const { session, told, recording } = await observed({
      responses: [calling({ name: 'work' })],
      tools: [effectTool('work', () => late.promise)],
      clock,
    })
    session.submit('Go')
    await recording.waitFor('ToolCallStarted')
    const interrupted = session.interrupt()
    await clock.advance(5_000)
    await interrupted

    late.resolve()
    await delivered()

    expect(told.slice(told.indexOf('+tool_execution') + 1)).toEqual([
      ...['-tool_execution interrupted', '-tool_call interrupted', '-step interrupted', '-turn interrupted'],
    ])
  })

  it('are told of an interrupted request', async () => {
    const begun = createDeferred<void>()
    const client = streamingClient(async function* () {
      yield* textEvents('Hel')
      begun.resolve()
      await new Promise(() => undefined)
    })
    const { session, told } = await observed({ client })
    session.submit('Go')
    await begun.promise

    await session.interrupt()

    expect(told.slice(3)).toEqual(['-inference interrupted', '-step interrupted', '-turn interrupted'])
  })

  it('are told of a failed request', async () => {
    const { session, told } = await observed({ responses: [{ error: { code: 'auth' } }] })

    await session.submit('Go').result()

    expect(told.slice(3)).toEqual(['-inference failed', '-step failed', '-turn failed'])
  })

  it('are told of the end at a shutdown, and of what a restore goes on with', async () => {
    const store = memoryStore()
    const { session, told, recording, rig } = await observed({
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
      store,
    })
    const submission = session.submit('Go')
    const { gateId } = await recording.waitFor('PermissionRequested')
    await session.shutdown()
    const parked = told.splice(0)

    await using restored = await rig.restoreSession(session.id)
    const again = restored.submit('Go', { inputId: submission.inputId })
    await restored.answer(gateId, { action: 'approve' })
    await again.result()

    expect(parked.slice(parked.indexOf('+gate_wait') + 1)).toEqual([
      ...['-gate_wait interrupted', '-tool_call interrupted', '-step interrupted', '-turn interrupted'],
    ])
    // the turn began in another process, and its guards were asked there
    expect(told).toEqual([
      ...['+step', '+gate_wait', '-gate_wait completed', '+tool_execution', '-tool_execution completed'],
      ...['-step completed', ...answer],
    ])
  })

  it('are told of the end when the session faults', async () => {
    const store = faultyStore(memoryStore(), (_number, { records }) =>
      records.some(({ kind }) => kind === 'run') ? { kind: 'refused' } : undefined,
    )
    const { session, told } = await observed({
      responses: [calling({ name: 'work' })],
      tools: [effectTool('work', () => undefined)],
      store,
    })

    await expect(session.submit('Go').result()).rejects.toMatchObject({ code: 'session_faulted' })
    await delivered()

    expect(told.slice(told.indexOf('+tool_call') + 1)).toEqual([
      ...['-tool_call interrupted', '-step interrupted', '-turn interrupted'],
    ])
  })

  it('that stop the turn at the start of a call keep it from starting', async () => {
    const ran: string[] = []
    let interrupt = (): void => undefined
    const told: string[] = []
    const { session } = await openSession({
      responses: [calling({ name: 'work' })],
      tools: [effectTool('work', (value) => void ran.push(value))],
      hooks: defineHooks({
        around: [
          {
            operation: 'tool_execution',
            begin: () => {
              interrupt()
              return (outcome) => void told.push(outcome)
            },
          },
        ],
      }),
    })
    interrupt = () => void session.interrupt()

    const result = await session.submit('Go').result()

    expect(result.status).toBe('interrupted')
    expect([ran, told]).toEqual([[], ['interrupted']])
    expect(resultTexts(session.history()).join()).toMatch(/^not_executed/)
  })

  it('that throw are skipped, change nothing, and are told of', async () => {
    const broken = () => {
      throw new Error('sentinel')
    }
    const hooks = defineHooks({ around: operations.map((operation) => ({ operation, begin: broken }) as Observer) })
    const { session, recording } = await openSession({
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', () => undefined)],
      hooks,
    })

    const result = await session.submit('Go').result()

    await delivered()
    expect(result.status).toBe('done')
    const failed = recording.events('HookFailed')
    expect(failed.map(({ operation, index, phase }) => `${operation} ${index} ${phase}`)).toEqual([
      ...['turn 0 begin', 'step 1 begin', 'inference 2 begin', 'tool_call 3 begin', 'tool_execution 5 begin'],
      ...['step 1 begin', 'inference 2 begin'],
    ])
    expect(JSON.stringify(failed)).not.toContain('sentinel')
  })
})

describe('a guard on inference', () => {
  it('fails the turn before the model is asked', async () => {
    const { session, requests, told } = await observed({ responses: [{ text: 'ok' }] }, [
      {
        operation: 'inference',
        check: () => {
          throw new Denial('budget', 'the budget of today is spent')
        },
      },
    ])

    const result = await session.submit('Go').result()

    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'denied', message: 'inference denied [budget]: the budget of today is spent' },
    })
    expect(requests).toEqual([])
    expect(told.slice(2)).toEqual(['+inference', '-inference denied', '-step failed', '-turn failed'])
  })

  it('keeps the steps before', async () => {
    let asked = 0
    const { session } = await observed(
      { responses: [calling({ name: 'work' }), { text: 'ok' }], tools: [effectTool('work', () => undefined)] },
      [
        {
          operation: 'inference',
          check: () => {
            asked += 1
            return asked > 1 ? new Denial('budget', 'spent') : undefined
          },
        },
      ],
    )

    const result = await session.submit('Go').result()

    expect(result.status).toBe('failed')
    expect(resultTexts(session.history())).toEqual(['work did x'])
  })

  it('sees the request as it is sent', async () => {
    const texts: string[] = []
    const { session } = await observed({ responses: [{ text: 'ok' }], loop: { runtimeContext: () => 'noon' } }, [
      {
        operation: 'inference',
        check: ({ request }) => {
          texts.push(JSON.stringify(request.messages))
          return undefined
        },
      },
    ])

    await session.submit('Go').result()

    expect(texts.join()).toContain('noon')
  })

  it('that hangs does not hold up an interrupt', async () => {
    const asked = createDeferred<void>()
    const { session, requests } = await observed({ responses: [{ text: 'ok' }] }, [
      {
        operation: 'inference',
        check: () => {
          asked.resolve()
          return new Promise(() => undefined)
        },
      },
    ])
    const submission = session.submit('Go')
    await asked.promise

    await session.interrupt()

    expect((await submission.result()).status).toBe('interrupted')
    expect(requests).toEqual([])
  })
})

describe('a guard on tool calls', () => {
  const noOther: Guard = {
    operation: 'tool_call',
    check: ({ artifact }) => {
      const { value } = artifact as { readonly value: string }
      if (value === 'other') throw new Denial('scope', 'not that one')
      return undefined
    },
  }

  it('denies one call by what it would do; the model reads why, and the others run', async () => {
    const ran: string[] = []
    const { session, told } = await observed(
      {
        responses: [
          calling({ id: 'a', name: 'work', input: { value: 'other' } }, { id: 'b', name: 'work' }),
          { text: 'ok' },
        ],
        tools: [effectTool('work', (value) => void ran.push(value))],
      },
      [noOther],
    )

    const result = await session.submit('Go').result()

    expect(result.status).toBe('done')
    expect(ran).toEqual(['x'])
    expect(resultTexts(session.history())).toEqual(['tool call denied [scope]: not that one', 'work did x'])
    expect(told.filter((line) => line.startsWith('-tool_call'))).toEqual(['-tool_call denied', '-tool_call completed'])
  })

  it('is asked before a person is', async () => {
    const { session, recording } = await observed(
      {
        responses: [calling({ name: 'work', input: { value: 'other' } }), { text: 'ok' }],
        tools: [effectTool('work', () => undefined)],
        gate: interactiveGate({ access: [allowing('ask')] }),
      },
      [noOther],
    )

    const result = await session.submit('Go').result()

    expect(result.status).toBe('done')
    await delivered()
    expect([recording.events('PermissionRequested'), recording.events('PermissionDecided')]).toEqual([[], []])
  })

  it('blocks a call when it fails, and tells nothing', async () => {
    const ran: string[] = []
    const { session } = await observed(
      {
        responses: [calling({ name: 'work' }), { text: 'ok' }],
        tools: [effectTool('work', (value) => void ran.push(value))],
      },
      [
        {
          operation: 'tool_call',
          check: () => {
            throw new Error('sentinel')
          },
        },
      ],
    )

    await session.submit('Go').result()

    expect(ran).toEqual([])
    expect(resultTexts(session.history())).toEqual(['tool call blocked: guards[0] failed'])
  })

  it('that hangs does not hold up an interrupt, and denies nothing then', async () => {
    const asked = createDeferred<void>()
    const { session } = await observed(
      { responses: [calling({ name: 'work' })], tools: [effectTool('work', () => undefined)] },
      [
        {
          operation: 'tool_call',
          check: () => {
            asked.resolve()
            return new Promise(() => undefined)
          },
        },
      ],
    )
    session.submit('Go')
    await asked.promise

    await session.interrupt()

    expect(resultTexts(session.history()).join()).toMatch(/^not_executed/)
  })

  it('is not asked about calls that nothing could run', async () => {
    let asked = 0
    const { session } = await observed(
      { responses: [calling({ name: 'unknown' }, { name: 'work', rawInput: '{' }), { text: 'ok' }] },
      [
        {
          operation: 'tool_call',
          check: () => {
            asked += 1
            return undefined
          },
        },
      ],
    )

    await session.submit('Go').result()

    expect(asked).toBe(0)
  })
})
