import type { Doors } from '../../wire/codecs.mjs'

/** The doors from source, so that a test needs no build. */
export const sourceDoors: Doors = {
  anthropic: () => import('../../../packages/inference/src/anthropic.ts'),
  openai: () => import('../../../packages/inference/src/openai.ts'),
  openaiResponses: () => import('../../../packages/inference/src/openai-responses.ts'),
  gemini: () => import('../../../packages/inference/src/gemini.ts'),
  bedrock: () => import('../../../packages/inference/src/bedrock.ts'),
  testing: () => import('../../../packages/inference/src/testing.ts'),
  core: () => import('../../../packages/core/src/index.ts'),
}

/** What a command printed and how it ended. */
export interface Ran {
  readonly code: number
  /** Its lines, read. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
}

type Command = (
  args: readonly string[],
  context: { doors: Doors; folder: string; write: (line: string) => void },
) => Promise<number>

/** Runs a command in this process. */
export async function runCommand(command: Command, folder: string, args: readonly string[]): Promise<Ran> {
  const lines: string[] = []
  const code = await command(args, { doors: sourceDoors, folder, write: (line) => void lines.push(line) })
  return { code, lines: lines.map((line) => JSON.parse(line)) }
}
