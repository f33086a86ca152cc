import { data, deepFreeze } from '@looprig/core'
import type { Model, ModelCapabilities, ModelLimits, ModelPrices, Sampling } from '@looprig/inference'
import { DefinitionError } from '../error/errors.ts'
import { bodySchema } from '../event/body-schema.ts'

const flag = data.boolean().optional()
const tokens = data.int({ min: 1 }).optional()
const price = data.number({ min: 0 })
const name = data.string({ min: 1, max: 256 })

/** Reads a stored model. */
export const modelSchema = bodySchema<Model>()({
  provider: name,
  name,
  capabilities: bodySchema<ModelCapabilities>()({
    tools: flag,
    images: flag,
    audio: flag,
    documents: flag,
    thinking: flag,
    thinkingDialect: data.oneOf(['adaptive', 'budget']).optional(),
    structuredOutput: flag,
    promptCaching: flag,
  }).optional(),
  limits: bodySchema<ModelLimits>()({ windowTokens: tokens, maxOutputTokens: tokens }).optional(),
  sampling: bodySchema<Sampling>()({
    temperature: data.number().optional(),
    topP: data.number().optional(),
    maxOutputTokens: tokens,
    stop: data.array(data.string()).optional(),
    effort: data.oneOf(['minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  }).optional(),
  prices: bodySchema<ModelPrices>()({
    inputPerMillion: price,
    outputPerMillion: price,
    cacheReadPerMillion: price.optional(),
    cacheCreationPerMillion: price.optional(),
    currency: data.string({ min: 1, max: 16 }),
  }).optional(),
})

/** The largest model, in characters of its JSON: it is one record. */
const maxModelCharacters = 64 * 1024

/**
 * A frozen copy of a model, exactly what a journal would give back.
 *
 * @throws DefinitionError naming the field below `field` that is at fault.
 */
export function copyModel(field: string, model: Model): Model {
  const parsed = modelSchema.safeParse(asJson(model))
  if (parsed.success) return deepFreeze(parsed.data)
  const [first, ...rest] = parsed.fault.path.map(String)
  if (first === undefined || first === 'provider' || first === 'name') {
    throw new DefinitionError(field, 'expected a model with provider and name')
  }
  throw new DefinitionError([field, first, ...rest].join('.'), 'expected another value, see Model')
}

function asJson(model: Model): unknown {
  try {
    const text = JSON.stringify(model)
    return text.length > maxModelCharacters ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
