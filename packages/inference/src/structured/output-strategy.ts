import { assertNever } from '@looprig/core'
import type { InferenceRequest, OutputFormat } from '../client/request.ts'
import type { Model } from '../model/model.ts'

/**
 * How a model is made to answer with an object: the provider holds it to the schema (`native`), it must call a tool
 * whose arguments are the object (`tool`), or it is told to (`prompt`).
 */
export type OutputStrategyName = 'native' | 'tool' | 'prompt'

/** The tool by which a model gives its object. */
export const outputToolName = 'final_output'

/** The surest way that a model has. */
export function strategyOf({ capabilities }: Model): OutputStrategyName {
  if (capabilities?.structuredOutput === true) return 'native'
  return capabilities?.tools === true ? 'tool' : 'prompt'
}

/** Says whether a model can do what a strategy needs. */
export function canUse({ capabilities }: Model, strategy: OutputStrategyName): boolean {
  switch (strategy) {
    case 'native':
      return capabilities?.structuredOutput === true
    case 'tool':
      return capabilities?.tools === true
    case 'prompt':
      return true
    default:
      return assertNever(strategy, 'strategy')
  }
}

/** Adds to a request without tools what makes the model answer with an object. */
export function shapeRequest(
  request: InferenceRequest,
  strategy: OutputStrategyName,
  output: OutputFormat,
): InferenceRequest {
  switch (strategy) {
    case 'native':
      return { ...request, output }
    case 'tool': {
      const description = output.description ?? 'Gives the answer. Call it once; write no other answer.'
      const tool = { name: outputToolName, description, inputSchema: output.schema }
      return { ...request, tools: [tool], toolChoice: { name: outputToolName } }
    }
    case 'prompt':
      return { ...request, system: [request.system, instructions(output)].filter(isText).join('\n\n') }
    default:
      return assertNever(strategy, 'strategy')
  }
}

function instructions({ description, schema }: OutputFormat): string {
  const purpose = description === undefined ? '' : ` ${description}`
  return `Answer with one JSON object that matches this JSON Schema, and with nothing else.${purpose}\n${JSON.stringify(schema)}`
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}
