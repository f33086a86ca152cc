import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Denial,
  defineHooks,
  type GuardCheck,
  type HookBegin,
  type OutputSpec,
  type ToolMiddleware,
} from '../../src/index.ts'

describe('the types of hooks, middlewares and outputs', () => {
  it('take the shortest thing that somebody would write', () => {
    const hooks = defineHooks({
      policyRevision: '1',
      guards: [
        {
          operation: 'tool_call',
          check: async ({ toolName }) => {
            if (toolName === 'rm') throw new Denial('no_rm', 'nothing is removed here')
          },
        },
        { operation: 'turn', check: ({ turnIndex }) => (turnIndex > 9 ? new Denial('enough', 'enough') : undefined) },
      ],
      around: [
        { operation: 'inference', begin: ({ request }) => void request.model.name },
        { operation: 'gate_wait', begin: () => (outcome) => void outcome },
        {
          operation: 'step',
          begin: () => {
            // only told
          },
        },
      ],
    })
    const output: OutputSpec<{ n: number }> = { schema: z.strictObject({ n: z.number() }) }
    const wide: OutputSpec<unknown> = output
    const middleware: ToolMiddleware = (_call, next) => next()

    expect([hooks.policyRevision, wide, typeof middleware]).toEqual(['1', output, 'function'])
  })

  it('refuse what would be misread', () => {
    // @ts-expect-error a step cannot be denied
    const step = () => defineHooks({ policyRevision: '1', guards: [{ operation: 'step', check: () => undefined }] })
    // @ts-expect-error `true` is no verdict
    const permit: GuardCheck<'turn'> = () => true
    // @ts-expect-error nobody waits for an observer
    const late: HookBegin<'turn'> = async () => undefined

    expect(step).toThrow('guards[0].operation')
    expect([typeof permit, typeof late]).toEqual(['function', 'function'])
  })
})
