import type { OutputFormat } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import type { Model, Sampling } from '../../model/model.ts'
import { geminiSchema } from './gemini-schema.ts'

/** The most stop sequences that the provider takes. */
const maxStops = 5

/**
 * Encodes the sampling of a request over that of its model, field by field, how much is thought, and the form of the
 * output. Gives nothing where nothing is asked for.
 *
 * @throws InferenceError `unsupported` for a value out of range, an effort that the model cannot be told, or an output
 *   form for a model that does not claim it.
 */
export function encodeSettings(model: Model, override: Sampling | undefined, output: OutputFormat | undefined): object {
  const { capabilities, sampling: own } = model
  const temperature = override?.temperature ?? own?.temperature
  const topP = override?.topP ?? own?.topP
  const maxOutputTokens = override?.maxOutputTokens ?? own?.maxOutputTokens
  const stop = override?.stop ?? own?.stop
  const effort = override?.effort ?? own?.effort

  checkRange('sampling.temperature', temperature, 2)
  checkRange('sampling.topP', topP, 1)
  if (maxOutputTokens !== undefined && !(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens > 0)) {
    throw unsupported('sampling.maxOutputTokens', 'expected a whole number above 0')
  }
  if (stop !== undefined && stop.length > maxStops) throw unsupported('sampling.stop', `expected at most ${maxStops}`)
  if (effort !== undefined && capabilities?.thinking !== true) {
    throw unsupported('sampling.effort', 'the model has no thinking capability')
  }
  const config = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: stop }),
    ...(capabilities?.thinking === true ? { thinkingConfig: thinkingConfig(model, effort, maxOutputTokens) } : {}),
    ...outputConfig(output, model),
  }
  return Object.keys(config).length === 0 ? {} : { generationConfig: config }
}

/** Thoughts are always asked for: without them nothing is shown of them, and they are paid all the same. */
function thinkingConfig(
  { name, capabilities }: Model,
  effort: Sampling['effort'],
  maxOutputTokens: number | undefined,
): object {
  if (effort === undefined) return { includeThoughts: true }
  if (effort === 'xhigh' || effort === 'max') throw unsupported('sampling.effort', 'expected minimal to high')
  switch (capabilities?.thinkingDialect) {
    case 'adaptive':
      return { thinkingLevel: effort.toUpperCase(), includeThoughts: true }
    case 'budget':
      return { thinkingBudget: budget(effort, maxOutputTokens), includeThoughts: true }
    default:
      throw unsupported('sampling.effort', `the model ${name.slice(0, 128)} declares no thinkingDialect`)
  }
}

/** Thoughts count as output, so they must leave room for an answer. */
function budget(effort: 'minimal' | 'low' | 'medium' | 'high', maxOutputTokens: number | undefined): number {
  const wanted = budgets[effort]
  return maxOutputTokens === undefined ? wanted : Math.max(minBudget, Math.min(wanted, Math.floor(maxOutputTokens / 2)))
}

const minBudget = 128
const budgets = { minimal: 1024, low: 1024, medium: 8192, high: 24_576 } as const

function outputConfig(output: OutputFormat | undefined, { capabilities }: Model): object {
  if (output === undefined) return {}
  if (capabilities?.structuredOutput !== true) {
    throw unsupported('output', 'the model has no structuredOutput capability')
  }
  return { responseMimeType: 'application/json', responseSchema: geminiSchema(output.schema) }
}

function checkRange(part: string, value: number | undefined, max: number): void {
  if (value !== undefined && !(value >= 0 && value <= max)) throw unsupported(part, `expected 0 to ${max}`)
}
