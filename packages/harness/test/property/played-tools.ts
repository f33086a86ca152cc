/** The tools of the played session. What they touch is counted by execution: more than once is never right. */
import type { ToolExecutionId } from '@looprig/core'
import { defineTool, type RunContext, type ToolDefinition, textResult } from '@looprig/tools'
import { z } from 'zod'
import type { Clock } from '../../src/index.ts'
import { delivered, kind, whenAborted } from '../session/open-session.ts'

/** How often each call had its effect. */
export type Effects = Map<ToolExecutionId, number>

type Context = RunContext<readonly [], undefined>

export function playedTools(clock: Clock, effects: Effects): readonly ToolDefinition[] {
  const effectful = (name: string, run: (context: Context) => Promise<void>, more: object = {}) =>
    defineTool({
      name,
      description: 'Has an effect.',
      inputSchema: z.strictObject({ value: z.string() }),
      prepare: ({ value }) => {
        // all calls of `rule` want the same, so that one rule meets them
        const match = name === 'rule' ? name : `${name}:${value}`
        const description = `touch ${match}`
        const candidates = name === 'rule' ? { candidates: [{ kind, match, description }] } : {}
        const requirement = { kind, scope: match, match, description, ...candidates }
        return { summary: description, artifact: { value }, requirements: [requirement] }
      },
      run: async (_artifact, context) => {
        effects.set(context.executionId, (effects.get(context.executionId) ?? 0) + 1)
        await run(context)
        return textResult(`${name} did it`)
      },
      ...more,
    })
  const soon = async (turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) await delivered()
  }
  return [
    effectful('work', () => soon(1)),
    effectful('slow', () => soon(6), { writeTarget: () => 'the one book' }),
    effectful('ask', () => soon(2)),
    effectful('rule', () => soon(1), { sequential: true }),
    effectful('never', () => soon(0)),
    effectful('wait', ({ signal }) => whenAborted(signal)),
    effectful('deaf', () => new Promise((resolve) => clock.setTimer(20_000, resolve))),
    effectful('late', ({ signal }) => whenAborted(signal), { timeoutMs: 400 }),
    effectful('chat', async ({ requestUserInput }) => {
      await requestUserInput?.({ text: 'Go on?', choices: ['yes', 'no'] })
    }),
    defineTool({
      name: 'look',
      description: 'Looks.',
      pure: true,
      inputSchema: z.strictObject({ value: z.string() }),
      run: async () => {
        await soon(1)
        return textResult('look did it')
      },
    }),
    defineTool({
      name: 'pick',
      description: 'Asks a person.',
      inputSchema: z.strictObject({ value: z.string() }),
      prepare: () => ({
        summary: 'ask',
        artifact: {},
        requirements: [],
        question: { text: 'Which?', choices: ['yes', 'no'] },
      }),
      run: () => textResult('nobody was asked'),
    }),
  ]
}
