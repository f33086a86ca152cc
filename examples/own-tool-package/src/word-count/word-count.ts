import { defineTool, type ToolDefinition, textResult } from '@looprig/tools'
import { z } from 'zod'

const inputSchema = z.strictObject({
  text: z
    .string()
    .min(1)
    .max(100_000)
    .regex(/^[^\0]*$/, 'expected no NUL')
    .describe('What to count the words of.'),
})

/** Makes `WordCount`, a pure tool: it needs nothing but its arguments, so it runs without a gate. */
export function wordCountDefinition(): ToolDefinition<readonly []> {
  return defineTool({
    name: 'WordCount',
    description: 'Count the words of a text. A word is what white space stands around.',
    pure: true,
    inputSchema,
    run: ({ text }) => textResult(String(text.split(/\s+/).filter((word) => word !== '').length)),
  })
}
