import { data } from '@looprig/core'
import { bodySchema } from '../event/body-schema.ts'

const categories = [
  'app',
  'confinement',
  'context',
  'delegates',
  'display',
  'gate',
  'hooks',
  'limits',
  'loops',
  'middlewares',
  'model',
  'modes',
  'output',
  'system',
  'tools',
  'workspace',
] as const

/** What part of a configuration a change is of. */
export type DriftCategory = (typeof categories)[number]

/** `info`: what the session may do is the same or less. `warn`: a person should look at it. */
export type DriftSeverity = 'info' | 'warn'

/** One difference between a session's manifest and the present rig: names and digests, never what they stand for. */
export interface DriftChange {
  /** For example `workspace`, `loops.coder.model` or `loops.coder.tools.Grep`. */
  readonly field: string
  readonly category: DriftCategory
  readonly severity: DriftSeverity
  /** `''`: it was not there. */
  readonly recorded: string
  /** `''`: it is not there. */
  readonly present: string
}

/** Everything in which a rig differs from the one that a session last ran with. Frozen. */
export interface DriftAssessment {
  /** By category, then by field. */
  readonly changes: readonly DriftChange[]
}

/** Reads a stored change. */
export const driftChangeSchema = bodySchema<DriftChange>()({
  field: data.string(),
  category: data.oneOf(categories),
  severity: data.oneOf(['info', 'warn']),
  recorded: data.string(),
  present: data.string(),
})
