import type { InferenceRequest, InferenceResponse } from '@looprig/inference'
import { errorResult, type Tool, type ToolResult } from '@looprig/tools'
import { invalidOutput, judgeOutput } from './judge-output.ts'
import { type CompiledOutput, finalOutputName } from './output-spec.ts'
import type { OutputStrategy, OutputVerdict } from './output-strategy.ts'

/**
 * Makes the model call a reserved tool with its answer. A response that calls it and nothing else ends the turn. When it
 * comes beside other calls these run, and it is refused: an answer that was given before their results were known is not
 * final. A response without any call is no output.
 */
export class ForcedTool implements OutputStrategy {
  readonly #output: CompiledOutput
  readonly #tool: Tool

  constructor(output: CompiledOutput, tool: Tool) {
    this.#output = output
    this.#tool = tool
  }

  shape(request: InferenceRequest): InferenceRequest {
    const tools = request.tools ?? noTools
    const toolChoice = tools.length === 0 ? ({ name: finalOutputName } as const) : 'required'
    return { ...request, tools: this.#output.listWith(tools, this.#tool), toolChoice }
  }

  async judge(response: InferenceResponse): Promise<OutputVerdict> {
    const { toolCalls } = response
    const finals = toolCalls.filter((call) => call.name === finalOutputName)
    const [first] = finals
    if (first !== undefined && toolCalls.length === 1) return this.#finish(response, first.argsJson)
    if (toolCalls.length > 0) {
      return { kind: 'calls', refused: new Map(finals.map((call) => [call.toolUseId, notFinal])) }
    }
    const { finishReason } = response
    if (finishReason === 'refusal' || finishReason === 'content_filter')
      return invalidOutput('the model refused to answer')
    return invalidOutput('the model answered without giving its output')
  }

  #finish(response: InferenceResponse, argsJson: string): OutputVerdict | Promise<OutputVerdict> {
    if (response.finishReason !== 'length') return judgeOutput(this.#tool, response, argsJson)
    return invalidOutput('the output was cut off by the output limit of the model')
  }
}

const noTools: readonly [] = Object.freeze([])

const notFinal: ToolResult = errorResult(
  'output_not_final',
  `output_not_final: ${finalOutputName} must be the only call of its response. The other calls were run; read their ` +
    `results, then call ${finalOutputName} once, alone.`,
)
