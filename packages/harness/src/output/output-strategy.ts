import type { AIMessage, JsonValue } from '@looprig/core'
import type { InferenceRequest, InferenceResponse, Model } from '@looprig/inference'
import type { BindingIdentity, ToolResult } from '@looprig/tools'
import type { ErrorInfo } from '../error/errors.ts'
import { ForcedTool } from './forced-tool.ts'
import type { CompiledOutput } from './output-spec.ts'

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

/**
 * Chooses how a model is made to give an output: so far by a tool that it must call. Returns why the turn fails when the
 * model cannot.
 */
export async function chooseStrategy(
  output: CompiledOutput,
  model: Model,
  identity: BindingIdentity,
): Promise<OutputStrategy | { readonly error: ErrorInfo }> {
  // a client refuses tools of a model that does not claim them
  const tool = model.capabilities?.tools === true ? await output.open(identity) : undefined
  if (tool !== undefined) return new ForcedTool(output, tool)
  return { error: { code: 'output_unsupported', message: 'the model cannot call tools, which the output needs' } }
}
