import type { Model } from '@looprig/inference'
import type { BindingIdentity } from '@looprig/tools'
import type { ErrorInfo } from '../error/errors.ts'
import { ForcedTool } from './forced-tool.ts'
import type { CompiledOutput } from './output-spec.ts'
import type { OutputStrategy } from './output-strategy.ts'

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
