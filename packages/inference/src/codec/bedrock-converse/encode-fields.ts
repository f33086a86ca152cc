import type { InferenceRequest } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { chooseSampling, encodeEffort, maxTokensOf, type Thinking } from '../anthropic-messages/encode-sampling.ts'
import { type ChosenTools, isForced } from '../anthropic-messages/encode-tools.ts'
import { encodeThinking, isNova } from './encode-thinking.ts'

/**
 * Encodes what stands beside the conversation: sampling, thinking, and the form of the answer.
 *
 * @throws InferenceError `unsupported`, naming the part that the model or the protocol cannot express.
 */
export function encodeFields(
  request: InferenceRequest,
  tools: ChosenTools,
  mayThinkNow: boolean,
): { readonly fields: string; readonly thinks: boolean } {
  const { model } = request
  const sampling = chooseSampling(model, request.sampling)
  const asked = encodeEffort(model, sampling.effort, maxTokensOf(model, sampling))
  // a call cannot be forced and thought about, and a budget cannot begin in the middle of a step
  const thinking = isForced(tools) || (!mayThinkNow && asked?.effort === undefined) ? undefined : asked
  const { ownsMaxTokens, ...more } = encodeThinking(model, thinking)
  const limit = sampling.maxOutputTokens ?? model.limits?.maxOutputTokens
  const maxTokens = thinking === undefined ? limit : maxTokensOf(model, sampling)
  const { temperature, topP, stop } = sampling
  const inferenceConfig = {
    ...(maxTokens === undefined || ownsMaxTokens === true ? {} : { maxTokens }),
    ...(temperature === undefined || thinking !== undefined ? {} : { temperature }),
    ...(topP === undefined || thinking !== undefined ? {} : { topP }),
    ...(stop.length === 0 ? {} : { stopSequences: stop }),
  }
  const fields = wellFormedJson({
    ...(Object.keys(inferenceConfig).length === 0 ? {} : { inferenceConfig }),
    ...more,
    ...outputConfig(request, asked),
  })
  return { fields, thinks: thinking !== undefined }
}

/** How much effort, which holds without thinking too, and what form the answer has. */
function outputConfig({ model, output }: InferenceRequest, asked: Thinking | undefined): object {
  if (output !== undefined && model.capabilities?.structuredOutput !== true) {
    throw unsupported('output', 'the model has no structuredOutput capability')
  }
  const config = {
    ...(asked?.effort === undefined || isNova(model) ? {} : { effort: asked.effort }),
    ...(output === undefined ? {} : { textFormat: textFormat(output) }),
  }
  return Object.keys(config).length === 0 ? {} : { outputConfig: config }
}

function textFormat({ name, description, schema }: NonNullable<InferenceRequest['output']>): object {
  const jsonSchema = { schema: wellFormedJson(schema), name, ...(description === undefined ? {} : { description }) }
  return { type: 'json_schema', structure: { jsonSchema } }
}
