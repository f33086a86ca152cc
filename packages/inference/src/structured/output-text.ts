import { isMediaBlock, textOf } from '@looprig/core'
import type { InferenceResponse } from '../client/response.ts'
import { type OutputStrategyName, outputToolName } from './output-strategy.ts'
import { withoutFence } from './read-json.ts'
import type { StructuredOutputErrorCode } from './structured-output-error.ts'

/** The JSON text of an object in a response, or why there is not exactly one. */
export type OutputText =
  | { readonly text: string }
  | { readonly code: StructuredOutputErrorCode; readonly message: string }

/** Finds the text that is the object. Thinking never counts. */
export function outputTextOf(response: InferenceResponse, strategy: OutputStrategyName): OutputText {
  const { message, finishReason } = response
  const { blocks } = message
  if (finishReason === 'refusal' || blocks.some(({ type }) => type === 'refusal')) {
    return { code: 'refused', message: 'the model refused to answer' }
  }
  if (finishReason === 'content_filter') return { code: 'refused', message: 'a content filter stopped the answer' }
  if (finishReason === 'length') return { code: 'length', message: 'the answer was cut off by the limit of the output' }
  if (finishReason === 'pause') return { code: 'no_output', message: 'the provider broke off before the answer' }
  if (blocks.some(isMediaBlock)) return { code: 'ambiguous', message: 'the answer holds media' }
  return strategy === 'tool' ? textOfCall(response) : textOfMessage(response, strategy)
}

function textOfCall({ message, toolCalls }: InferenceResponse): OutputText {
  const [call, second] = toolCalls
  if (call === undefined) return { code: 'no_output', message: `the model did not call ${outputToolName}` }
  if (second !== undefined) return { code: 'ambiguous', message: `the model made ${toolCalls.length} calls` }
  if (call.name !== outputToolName)
    return { code: 'no_output', message: 'the model called a tool that it does not have' }
  if (textOf(message.blocks).trim() !== '') {
    return { code: 'ambiguous', message: `the model wrote text beside its call of ${outputToolName}` }
  }
  return { text: call.argsJson.trim() === '' ? '{}' : call.argsJson }
}

function textOfMessage({ message, toolCalls }: InferenceResponse, strategy: 'native' | 'prompt'): OutputText {
  if (toolCalls.length > 0) return { code: 'ambiguous', message: 'the model called a tool that it does not have' }
  const text = textOf(message.blocks)
  if (text.trim() === '') return { code: 'no_output', message: 'the model gave no text' }
  return { text: strategy === 'prompt' ? withoutFence(text) : text }
}
