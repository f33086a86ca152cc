import type { Requirement, Rule, RuleCandidate, ToolRequest, UserQuestion } from '@looprig/tools'
import { z } from 'zod'
import { bodySchema } from '../event/body-schema.ts'

/** Reads a stored candidate of a rule. */
export const candidateSchema = bodySchema<RuleCandidate>()({
  kind: z.string(),
  match: z.string(),
  description: z.string(),
  grantClass: z.string().exactOptional(),
  grantTarget: z.string().exactOptional(),
})

/** Reads a stored requirement. */
export const requirementSchema = bodySchema<Requirement>()({
  kind: z.string(),
  scope: z.string(),
  match: z.string(),
  description: z.string(),
  grantClass: z.string().exactOptional(),
  grantTarget: z.string().exactOptional(),
  candidates: z.array(candidateSchema).exactOptional(),
})

/** Reads a stored request. */
export const requestSchema = bodySchema<ToolRequest>()({
  toolName: z.string(),
  summary: z.string(),
  requirements: z.array(requirementSchema),
  command: z.string().exactOptional(),
  workingDirectory: z.string().exactOptional(),
  expiresAtMs: z.number().exactOptional(),
})

/** Reads what an audit keeps of a rule. */
export const ruleSchema = bodySchema<Rule>()({
  effect: z.enum(['allow', 'deny']),
  kind: z.string(),
  match: z.string(),
})

/** Reads a stored question. */
export const questionSchema = bodySchema<UserQuestion>()({
  text: z.string(),
  choices: z.array(z.string()).optional(),
})
