import { describe, expect, it } from 'vitest'
import { newId } from '../../src/clock/id-source.ts'
import type { HookFailed } from '../../src/event/hook-event.ts'
import { openHooks } from '../../src/hook/define-hooks.ts'
import { HookRunner } from '../../src/hook/hook-runner.ts'
import { Denial, defineHooks, type Guard, type HooksOptions, type StepSubject } from '../../src/index.ts'
import { countingIds } from '../../src/testing.ts'

const ids = countingIds()
const loopId = newId(ids, 'LoopId')
const scope = { sessionId: newId(ids, 'SessionId'), loopId, loopName: 'main' }
const step: StepSubject = { ...scope, turnId: newId(ids, 'TurnId'), stepId: newId(ids, 'StepId') }
const call = {
  ...step,
  toolExecutionId: newId(ids, 'ToolExecutionId'),
  toolUseId: 'c1',
  toolName: 'work',
  summary: 'work',
  request: { toolName: 'work', summary: 'work', requirements: [] },
  artifact: { deep: { list: [1] } },
  replaySafe: false,
} as const

function runner(options: HooksOptions) {
  const failed: HookFailed[] = []
  const hooks = new HookRunner(openHooks(defineHooks(options)), { ...scope }, (event) => failed.push(event))
  return { hooks, failed }
}

/** Asks guards of tool calls in order. */
function refusal(checks: readonly unknown[], signal = new AbortController().signal) {
  const guards = checks.map((check) => ({ operation: 'tool_call', check }) as Guard)
  return runner({ policyRevision: 'v1', guards }).hooks.refusal('tool_call', () => structuredClone(call), signal)
}

describe('guards', () => {
  it('let pass what none of them denies', async () => {
    expect(await refusal([() => undefined, async () => undefined])).toBeUndefined()
  })

  it('run in order, and the first denial stops', async () => {
    const asked: number[] = []
    const deny = (n: number) => () => {
      asked.push(n)
      throw new Denial(`d${n}`, `reason ${n}`)
    }

    const error = await refusal([() => void asked.push(0), deny(1), deny(2)])

    expect(error).toEqual({ code: 'denied', message: 'tool call denied [d1]: reason 1' })
    expect(asked).toEqual([0, 1])
  })

  it('deny by what they return too', async () => {
    const error = await refusal([async () => new Denial('late', 'too late')])

    expect(error).toEqual({ code: 'denied', message: 'tool call denied [late]: too late' })
  })

  it.each<readonly [string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('sentinel')
      },
    ],
    ['rejects with nothing at all', () => Promise.reject(undefined)],
    ['rejects', () => Promise.reject(new Error('sentinel'))],
    [
      'makes a denial that is not valid',
      () => {
        throw new Denial('NOT A CODE', 'sentinel')
      },
    ],
    ['returns true', () => true],
    ['returns false', () => false],
    ['returns null', () => null],
    ['looks like a denial', () => ({ code: 'x', reason: 'sentinel' })],
  ])('block, and tell nothing, when one %s', async (_what, check) => {
    const error = await refusal([() => undefined, check])

    expect(error).toEqual({ code: 'guard_failed', message: 'tool call blocked: guards[1] failed' })
  })

  it('block when the operation is stopped while they think', async () => {
    const stop = new AbortController()
    const asked = refusal([() => new Promise(() => undefined)], stop.signal)

    stop.abort()

    expect((await asked)?.code).toBe('guard_failed')
  })

  it('are asked about their own operation only', async () => {
    const { hooks } = runner({
      policyRevision: 'v1',
      guards: [
        {
          operation: 'turn',
          check: () => {
            throw new Denial('no', 'no')
          },
        },
      ],
    })

    expect(await hooks.refusal('tool_call', () => call, new AbortController().signal)).toBeUndefined()
    expect([hooks.isGuarded('turn'), hooks.isGuarded('tool_call')]).toEqual([true, false])
  })

  it('cannot change what they are shown', async () => {
    const subject = structuredClone(call)
    const { hooks } = runner({
      policyRevision: 'v1',
      guards: [
        {
          operation: 'tool_call',
          check: (shown) => {
            // proved: the cast is the attack
            const artifact = shown.artifact as { deep: { list: number[] } }
            artifact.deep.list.push(2)
            return undefined
          },
        },
      ],
    })

    const error = await hooks.refusal('tool_call', () => subject, new AbortController().signal)

    expect(error?.code).toBe('guard_failed')
    expect(subject.artifact).toEqual({ deep: { list: [1] } })
  })
})

describe('observers', () => {
  it('begin in order and finish in reverse, once, with the outcome', () => {
    const told: string[] = []
    const observe = (name: string) => ({
      operation: 'step' as const,
      begin: ({ stepId }: StepSubject) => {
        told.push(`+${name}${stepId === step.stepId}`)
        return (outcome: string) => void told.push(`-${name}${outcome}`)
      },
    })
    const { hooks } = runner({ around: [observe('a'), { operation: 'turn', begin: () => undefined }, observe('b')] })

    const end = hooks.begin('step', () => ({ ...step }))
    end('failed')
    end('completed')

    expect(told).toEqual(['+atrue', '+btrue', '-bfailed', '-afailed'])
  })

  it('are skipped when they throw, and that is told without what they threw', () => {
    const told: string[] = []
    const broken = () => {
      throw new Error('sentinel')
    }
    const { hooks, failed } = runner({
      around: [
        { operation: 'step', begin: () => (outcome) => void told.push(outcome) },
        { operation: 'step', begin: broken },
        { operation: 'step', begin: () => broken },
      ],
    })

    hooks.begin('step', () => ({ ...step }))('completed')

    expect(told).toEqual(['completed'])
    const { turnId } = step
    expect(failed).toEqual([
      { type: 'HookFailed', loopId, turnId, operation: 'step', index: 1, phase: 'begin' },
      { type: 'HookFailed', loopId, turnId, operation: 'step', index: 2, phase: 'finish' },
    ])
  })

  it('are not waited for, and a late failure is told', async () => {
    const late = { operation: 'step', begin: () => Promise.reject(new Error('sentinel')) } as never
    const { hooks, failed } = runner({ around: [late] })

    hooks.begin('step', () => ({ ...step }))('completed')
    await Promise.resolve()

    expect(failed).toMatchObject([{ phase: 'begin', index: 0 }])
  })

  it('cost nothing where there are none', () => {
    const { hooks } = runner({})
    const subject = () => {
      throw new Error('made for nobody')
    }

    expect(() => hooks.begin('step', subject)('completed')).not.toThrow()
  })
})
