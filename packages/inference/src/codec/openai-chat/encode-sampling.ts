import { unsupported } from '../../failure/unsupported.ts'
import type { Model, Sampling } from '../../model/model.ts'
import type { ChatProfile } from './profile.ts'

/**
 * Encodes the sampling of a request over that of its model, field by field.
 *
 * @throws InferenceError `unsupported` for a value out of range, or an effort for a model without `thinking`.
 */
export function encodeSampling(model: Model, override: Sampling | undefined, profile: ChatProfile): object {
  const temperature = override?.temperature ?? model.sampling?.temperature
  const topP = override?.topP ?? model.sampling?.topP
  const maxTokens = override?.maxOutputTokens ?? model.sampling?.maxOutputTokens
  const stop = override?.stop ?? model.sampling?.stop
  const effort = override?.effort ?? model.sampling?.effort
  const thinks = model.capabilities?.thinking === true

  checkRange('sampling.temperature', temperature, 2)
  checkRange('sampling.topP', topP, 1)
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0)) {
    throw unsupported('sampling.maxOutputTokens', 'expected a whole number above 0')
  }
  if (effort !== undefined && !thinks) throw unsupported('sampling.effort', 'the model has no thinking capability')
  const maxTokensField = profile.maxTokensField ?? (thinks ? 'max_completion_tokens' : 'max_tokens')
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { [maxTokensField]: maxTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    ...(effort === undefined ? {} : effortField(effort, profile)),
  }
}

function effortField(effort: string, profile: ChatProfile): object {
  return profile.effortField === 'reasoning' ? { reasoning: { effort } } : { reasoning_effort: effort }
}

function checkRange(part: string, value: number | undefined, max: number): void {
  if (value !== undefined && !(value >= 0 && value <= max)) throw unsupported(part, `expected 0 to ${max}`)
}
