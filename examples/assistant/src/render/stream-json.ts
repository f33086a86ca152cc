import type { Renderer } from './renderer.ts'
import { type Output, type Screen, writeTo } from './screen.ts'

/** One JSON object per line and event: `{"seq": number | null, "event": {...}}`. */
export function streamJsonRenderer(stdout: Output, screen: Screen): Renderer {
  return {
    event: ({ seq, event }) => writeTo(stdout, `${JSON.stringify({ seq, event })}\n`),
    result: async ({ error }) => {
      if (error !== undefined) screen.error(error)
    },
  }
}
