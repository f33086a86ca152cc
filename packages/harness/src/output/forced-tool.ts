import { canonicalJson, deepFreeze, type JsonValue, type ToolExecutionId, textBlock } from '@looprig/core'
import type { InferenceRequest, InferenceResponse } from '@looprig/inference'
import { ArtifactError, errorResult, type Tool, ToolError, type ToolResult } from '@looprig/tools'
import { type CompiledOutput, finalOutputName } from './output-spec.ts'
import type { OutputStrategy, OutputVerdict } from './output-strategy.ts'

/** The longest output, in characters of its JSON: as long as the longest response. */
const maxOutputCharacters = 1024 * 1024

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
    if (finishReason === 'refusal' || finishReason === 'content_filter') return invalid('the model refused to answer')
    return invalid('the model answered without giving its output')
  }

  async #finish({ message, finishReason }: InferenceResponse, argsJson: string): Promise<OutputVerdict> {
    if (finishReason === 'length') return invalid('the output was cut off by the output limit of the model')
    const parsed = await this.#parse(argsJson)
    if ('reason' in parsed) return invalid(parsed.reason)
    const { output } = parsed
    const text = canonicalJson(output)
    if (text.length > maxOutputCharacters) return invalid('the output is too large')
    const { blocks: _, ...rest } = message
    return { kind: 'final', output, message: deepFreeze({ ...rest, blocks: [textBlock(text)] }) }
  }

  async #parse(argsJson: string): Promise<{ readonly output: JsonValue } | { readonly reason: string }> {
    try {
      const { artifact } = await this.#tool.prepareCall(parsing, argsJson)
      return { output: artifact }
    } catch (error) {
      if (error instanceof ToolError) return { reason: `the output does not fit its schema: ${error.message}` }
      if (error instanceof ArtifactError) return { reason: 'the output was not parsed to JSON data' }
      return { reason: 'the output could not be parsed' }
    }
  }
}

const noTools: readonly [] = Object.freeze([])

/** The reserved tool is asked to parse only; nothing of it ever runs, so no call has this id. */
const parsing = Object.freeze({
  executionId: '00000000-0000-7000-8000-000000000000' as ToolExecutionId, // proved: a canonical UUID
  toolUseId: finalOutputName,
  signal: new AbortController().signal,
})

const notFinal: ToolResult = errorResult(
  'output_not_final',
  `output_not_final: ${finalOutputName} must be the only call of its response. The other calls were run; read their ` +
    `results, then call ${finalOutputName} once, alone.`,
)

function invalid(message: string): OutputVerdict {
  return { kind: 'invalid', error: { code: 'output_invalid', message } }
}
