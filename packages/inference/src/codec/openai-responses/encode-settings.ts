import type { OutputFormat } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import type { Model, Sampling } from '../../model/model.ts'
import { isStrictSchema } from '../schema/strict-schema.ts'

/** How much of its reasoning a model is asked to sum up; `none` asks for nothing. */
export type ReasoningSummary = 'auto' | 'concise' | 'detailed' | 'none'

/**
 * Encodes the sampling of a request over that of its model, field by field, and what is asked of its reasoning. Nothing
 * is stored at the provider, so reasoning must come encrypted to be of use in the next request.
 *
 * @throws InferenceError `unsupported` for a value out of range, for stop sequences, which the protocol does not have,
 *   and for an effort with a model without `thinking`.
 */
export function encodeSettings(
  { capabilities, sampling: own }: Model,
  override: Sampling | undefined,
  summary: ReasoningSummary | undefined,
): object {
  const temperature = override?.temperature ?? own?.temperature
  const topP = override?.topP ?? own?.topP
  const maxTokens = override?.maxOutputTokens ?? own?.maxOutputTokens
  const stop = override?.stop ?? own?.stop
  const effort = override?.effort ?? own?.effort
  const thinks = capabilities?.thinking === true

  checkRange('sampling.temperature', temperature, 2)
  checkRange('sampling.topP', topP, 1)
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0)) {
    throw unsupported('sampling.maxOutputTokens', 'expected a whole number above 0')
  }
  if (stop !== undefined && stop.length > 0) throw unsupported('sampling.stop', 'this protocol has no stop sequences')
  if (effort !== undefined && !thinks) throw unsupported('sampling.effort', 'the model has no thinking capability')
  return {
    store: false,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...(thinks ? { ...encodeReasoning(effort, summary), include: ['reasoning.encrypted_content'] } : {}),
  }
}

/**
 * Encodes the form of the output; strict where its schema allows that.
 *
 * @throws InferenceError `unsupported` for a model that does not claim it, or a name that the protocol does not take.
 */
export function encodeOutput(output: OutputFormat | undefined, { capabilities }: Model): object {
  if (output === undefined) return {}
  if (capabilities?.structuredOutput !== true) {
    throw unsupported('output', 'the model has no structuredOutput capability')
  }
  const { name, description, schema, strict = true } = output
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw unsupported('output.name', 'expected 1 to 64 letters, digits, underscores or hyphens')
  }
  const named = { type: 'json_schema', name, ...(description === undefined ? {} : { description }) }
  return { text: { format: { ...named, schema, strict: strict && isStrictSchema(schema) } } }
}

/** A summary is asked for together with an effort, or by itself where the client was told so. */
function encodeReasoning(effort: Sampling['effort'], summary: ReasoningSummary | undefined): object {
  const asked = summary ?? (effort === undefined ? 'none' : 'auto')
  if (effort === undefined && asked === 'none') return {}
  return {
    reasoning: { ...(effort === undefined ? {} : { effort }), ...(asked === 'none' ? {} : { summary: asked }) },
  }
}

function checkRange(part: string, value: number | undefined, max: number): void {
  if (value !== undefined && !(value >= 0 && value <= max)) throw unsupported(part, `expected 0 to ${max}`)
}
