import { defineLoop, defineRig, type LoopOptions } from '@looprig/harness'
import { recordSession, strictClient } from '@looprig/harness/testing'
import type { InferenceClient, Model } from '@looprig/inference'
import { memoryStore } from '@looprig/store/memory'
import { defineTool, type ToolDefinition, textResult } from '@looprig/tools'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

/** Opens a session of one loop over a memory store, which is shut down after the test. */
export async function openSession(client: InferenceClient, model: Model, options: Partial<LoopOptions> = {}) {
  const loop = defineLoop({ name: 'main', system: 'Be brief.', client: strictClient(client), model, ...options })
  const session = await defineRig({ loops: [loop], store: memoryStore() }).newSession()
  const recording = recordSession(session)
  onTestFinished(() => session.shutdown())
  return { session, recording }
}

/** A tool that tells the weather of a city, and the cities that it was asked for. */
export function weatherTool(): { readonly tool: ToolDefinition; readonly asked: readonly string[] } {
  const asked: string[] = []
  const tool = defineTool({
    name: 'weather',
    description: 'Tells the weather of a city.',
    inputSchema: z.strictObject({ city: z.string() }),
    pure: true,
    run: ({ city }) => {
      asked.push(city)
      return textResult(`Rain in ${city}.`)
    },
  })
  return { tool, asked }
}
