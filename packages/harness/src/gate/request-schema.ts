import { data } from '@looprig/core'
import type { Requirement, Rule, RuleCandidate, ToolRequest, UserQuestion } from '@looprig/tools'
import { bodySchema } from '../event/body-schema.ts'

/** Reads a stored candidate of a rule. */
export const candidateSchema = bodySchema<RuleCandidate>()({
  kind: data.string(),
  match: data.string(),
  description: data.string(),
  grantClass: data.string().exactOptional(),
  grantTarget: data.string().exactOptional(),
})

/** Reads a stored requirement. */
export const requirementSchema = bodySchema<Requirement>()({
  kind: data.string(),
  scope: data.string(),
  match: data.string(),
  description: data.string(),
  grantClass: data.string().exactOptional(),
  grantTarget: data.string().exactOptional(),
  candidates: data.array(candidateSchema).exactOptional(),
})

/** Reads a stored request. */
export const requestSchema = bodySchema<ToolRequest>()({
  toolName: data.string(),
  summary: data.string(),
  requirements: data.array(requirementSchema),
  command: data.string().exactOptional(),
  workingDirectory: data.string().exactOptional(),
  expiresAtMs: data.number().exactOptional(),
})

/** Reads what an audit keeps of a rule. */
export const ruleSchema = bodySchema<Rule>()({
  effect: data.oneOf(['allow', 'deny']),
  kind: data.string(),
  match: data.string(),
})

/** Reads a stored question. */
export const questionSchema = bodySchema<UserQuestion>()({
  text: data.string(),
  choices: data.array(data.string()).optional(),
})
