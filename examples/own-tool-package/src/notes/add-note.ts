import { join } from 'node:path'
import { defineTool, type ToolDefinition, textResult, writeRequirement } from '@looprig/tools'
import { z } from 'zod'
import { appendLine } from './append-line.ts'

const inputSchema = z.strictObject({
  line: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .regex(/^[^\p{Cc}]*$/u, 'expected one line')
    .describe('What to remember.'),
})

/**
 * Makes `AddNote`, an effectful tool: it appends a line to `NOTES.md` in the workspace.
 *
 * `prepare` says what will happen and for what it needs access; a gate decides on that. `run` gets what was approved,
 * and never sees the arguments.
 */
export function addNoteDefinition(): ToolDefinition<readonly ['workspace']> {
  return defineTool({
    name: 'AddNote',
    description: 'Remember one line: it is appended to the notes of this project.',
    requires: ['workspace'],
    inputSchema,
    timeoutMs: 10_000,
    prepare: ({ line }, { workspace }) => {
      const path = join(workspace.root, 'NOTES.md')
      return {
        summary: 'append a note to NOTES.md',
        artifact: { path, line },
        requirements: [writeRequirement(path, 'NOTES.md')],
        preview: { kind: 'text', text: line },
      }
    },
    run: async ({ path, line }, { workspace, signal }) => {
      // other tools and processes of the session may be about to write there too
      const permit = await workspace.coordinator.acquire({ kind: 'path', path }, signal)
      try {
        await workspace.observations.withPath(path, async (observation) => {
          // whoever has read the notes before must read them again before it replaces them
          observation.current = 'unknown'
          await appendLine(path, line)
        })
      } finally {
        permit.release()
      }
      return textResult('noted')
    },
    writeTarget: ({ path }) => path,
  })
}
