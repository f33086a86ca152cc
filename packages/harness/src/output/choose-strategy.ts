import { canUseStrategy, type Model, strategyOf } from '@looprig/inference'
import type { BindingIdentity } from '@looprig/tools'
import type { ErrorInfo } from '../error/errors.ts'
import { ForcedTool } from './forced-tool.ts'
import type { CompiledOutput } from './output-spec.ts'
import type { OutputStrategy } from './output-strategy.ts'
import { TextOutput } from './text-output.ts'

/**
 * Chooses how a model is made to give an output: as the output says, else the surest way that the model has. Beside other
 * tools that is a tool of its own, since not every provider holds a text to a form and takes tools. Returns why the turn
 * fails when the model cannot do what was chosen.
 */
export async function chooseStrategy(
  output: CompiledOutput,
  model: Model,
  identity: BindingIdentity,
  hasTools: boolean,
): Promise<OutputStrategy | { readonly error: ErrorInfo }> {
  const surest = hasTools && canUseStrategy(model, 'tool') ? 'tool' : strategyOf(model)
  const strategy = output.strategy ?? surest
  // a client refuses what a model does not claim
  const tool = canUseStrategy(model, strategy) ? await output.open(identity) : undefined
  if (tool === undefined) {
    return {
      error: { code: 'output_unsupported', message: `the model cannot give an output by the strategy ${strategy}` },
    }
  }
  return strategy === 'tool' ? new ForcedTool(output, tool) : new TextOutput(strategy, tool, output.description)
}
