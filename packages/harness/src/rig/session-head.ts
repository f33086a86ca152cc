import { headWithin } from '@looprig/core'
import { z } from 'zod'
import { bodySchema } from '../event/body-schema.ts'

/** How a session stands, as its last append left it. `running` in the head of a dead owner means interrupted. */
export type SessionStatus = 'idle' | 'running' | 'waiting' | 'interrupted' | 'failed' | 'stopped'

/** What lists show of a session; written with the append that changes it. */
export interface SessionHead {
  readonly v: number
  readonly workspace: string
  /** From the first input; `''` before there was one. */
  readonly title: string
  readonly status: SessionStatus
}

const headSchema = bodySchema<SessionHead>()({
  v: z.literal(1),
  workspace: z.string(),
  title: z.string(),
  status: z.enum(['idle', 'running', 'waiting', 'interrupted', 'failed', 'stopped']),
})

/** Reads a head; `undefined` when it is none of this version. */
export function parseHead(text: string): SessionHead | undefined {
  try {
    return headSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Makes a title of an input's text: one line without control characters, at most 80 characters. */
export function titleOf(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  const characters = [...line.toWellFormed()]
  const title = characters.length <= 80 ? characters.join('') : `${characters.slice(0, 79).join('')}…`
  return headWithin(title, 320)
}
