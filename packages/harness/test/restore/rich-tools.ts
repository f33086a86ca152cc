/** The tools of the rich session: what they touch is the world of the test. */
import type { ToolExecutionId } from '@looprig/core'
import { type AccessSource, defineTool, type Requirement, type ToolDefinition, textResult } from '@looprig/tools'
import { z } from 'zod'

/** What the tools of the session touch. */
export interface World {
  /** A call has its effect, before it ends. */
  effect(executionId: ToolExecutionId): void
  /** How long a slow call takes: longer than a result waits to be written behind. */
  pause(): Promise<void>
}

/** What a call needs follows from its kind: it is allowed, asked for, or denied. */
export const richAccess: AccessSource = {
  kinds: ['test.free', 'test.ask', 'test.never'],
  accessFor: ({ kind }) => (kind === 'test.free' ? 'allow' : kind === 'test.ask' ? 'ask' : 'deny'),
}

/** A quick effect, a slow one, and a look that has none. */
export function richTools({ effect, pause }: World): readonly ToolDefinition[] {
  const note = defineTool({
    name: 'Note',
    description: 'Note one thing.',
    inputSchema: z.strictObject({ what: z.string(), kind: z.string() }),
    prepare: ({ what, kind }) => ({
      summary: `note ${what}`,
      artifact: { what },
      requirements: [requirement(`test.${kind}`, what)],
    }),
    run: ({ what }, { executionId }) => {
      effect(executionId)
      return textResult(`noted ${what}`)
    },
  })
  const slow = defineTool({
    name: 'Slow',
    description: 'Note one thing, slowly.',
    inputSchema: z.strictObject({ what: z.string() }),
    prepare: ({ what }) => ({
      summary: `note ${what}`,
      artifact: { what },
      requirements: [requirement('test.free', what)],
    }),
    run: async ({ what }, { executionId }) => {
      effect(executionId)
      await pause()
      return textResult(`noted ${what}`)
    },
    writeTarget: () => 'the one book',
  })
  const look = defineTool({
    name: 'Look',
    description: 'Look.',
    pure: true,
    inputSchema: z.strictObject({}),
    run: () => textResult('nothing there'),
  })
  return [note, slow, look]
}

function requirement(kind: string, what: string): Requirement {
  return { kind, scope: what, match: what, description: `touch ${what}` }
}
