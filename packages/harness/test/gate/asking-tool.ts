import { defineTool, type Preparation, type RunContext, type ToolDefinition, textResult } from '@looprig/tools'
import { z } from 'zod'
import { kind } from '../session/open-session.ts'

/** What a test may change of the tool. */
export interface AskingTool {
  readonly name?: string
  /** Merged into what `prepare` returns. */
  readonly prepared?: (value: string) => Partial<Preparation>
  readonly replaySafe?: boolean
  readonly ran?: (value: string, context: RunContext<readonly [], undefined>) => unknown
}

/** An effectful tool of one text whose requirement can be saved as a rule. */
export function askingTool({ name = 'touch', prepared, replaySafe, ran }: AskingTool = {}): ToolDefinition {
  return defineTool({
    name,
    description: 'Has an effect.',
    replaySafe,
    inputSchema: z.strictObject({ value: z.string().default('x') }),
    prepare: ({ value }): Preparation & { readonly artifact: { readonly value: string } } => {
      const description = `${name} ${value}`
      return {
        summary: description,
        requirements: [
          { kind, scope: value, match: value, description, candidates: [{ kind, match: value, description }] },
        ],
        ...prepared?.(value),
        artifact: (prepared?.(value).artifact as { readonly value: string } | undefined) ?? { value },
      }
    },
    run: async ({ value }, context) => {
      const said = await ran?.(value, context)
      return textResult(typeof said === 'string' ? said : `${name} did ${value}`)
    },
  })
}
