import type { AIMessage, JsonValue } from '@looprig/core'
import type { InferenceRequest, InferenceResponse } from '@looprig/inference'
import type { ToolResult } from '@looprig/tools'
import type { ErrorInfo } from '../error/errors.ts'

/** What a response means for a turn that must end with an output. */
export type OutputVerdict =
  /** It ends the turn; `message` is what history keeps of it. */
  | { readonly kind: 'final'; readonly message: AIMessage; readonly output: JsonValue }
  /** Its calls run and the turn goes on; the calls named in `refused` do not run and have this result. */
  | { readonly kind: 'calls'; readonly refused: ReadonlyMap<string, ToolResult> }
  /** It ends the turn without an output; nothing of it is kept. */
  | { readonly kind: 'invalid'; readonly error: ErrorInfo }

/** One way of getting an output from a model. */
export interface OutputStrategy {
  /** Adds to a request what makes the model answer in the shape. */
  shape(request: InferenceRequest): InferenceRequest
  /** Judges a whole response. Never throws. */
  judge(response: InferenceResponse): Promise<OutputVerdict>
}
