import type { AIMessage, FinishReason, RawToolCall } from '@looprig/core'

/** One whole response. */
export interface InferenceResponse {
  /** With `usage` and `model` as far as the provider told them. */
  readonly message: AIMessage
  /** The calls of `message` with the model's raw argument text, in call order. */
  readonly toolCalls: readonly RawToolCall[]
  readonly finishReason: FinishReason
  /** The provider's own word for the reason. */
  readonly rawFinishReason?: string
  /** How often the request was sent for it, as far as this library sent it. */
  readonly attempts?: number
}
