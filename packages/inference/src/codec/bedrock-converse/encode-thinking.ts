import { unsupported } from '../../failure/unsupported.ts'
import type { Model } from '../../model/model.ts'
import type { Thinking } from '../anthropic-messages/encode-sampling.ts'

/** The fields by which a request asks for thinking; each family of models has its own. */
export interface ThinkingFields {
  readonly additionalModelRequestFields?: object
  /** Whether the model sets the limit of its output by itself, and takes none. */
  readonly ownsMaxTokens?: boolean
}

/** @throws InferenceError `unsupported` for an effort that the family has no word for. */
export function encodeThinking(model: Model, asked: Thinking | undefined): ThinkingFields {
  if (asked === undefined) return {}
  if (!isNova(model)) return { additionalModelRequestFields: { thinking: asked.thinking } }
  const { effort } = asked
  if (effort !== 'low' && effort !== 'medium' && effort !== 'high') {
    throw unsupported('sampling.effort', 'expected low, medium or high, told in a word, for a model of this kind')
  }
  return {
    additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } },
    ownsMaxTokens: effort === 'high',
  }
}

/** Models of Amazon's own, which differ from the rest in a few places. */
export function isNova({ name }: Model): boolean {
  return /(?:^|[./:])amazon\.nova/.test(name)
}
