import type { SessionId } from '@looprig/core'
import type { Renderer } from './renderer.ts'
import { type Output, type Screen, writeTo } from './screen.ts'

/** One JSON object per input, on one line, when it has ended; `turnId` is null when there was no turn. */
export function jsonRenderer(stdout: Output, screen: Screen, sessionId: SessionId): Renderer {
  return {
    event: async () => undefined,
    result: async ({ turnId = null, status, text, usage, error }) => {
      const told = { sessionId, turnId, status, text, usage, ...(error === undefined ? {} : { error }) }
      await writeTo(stdout, `${JSON.stringify(told)}\n`)
      if (error !== undefined) screen.error(error)
    },
  }
}
