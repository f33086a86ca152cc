import {
  type InferenceRequest,
  type InferenceResponse,
  type OutputFormat,
  outputTextOf,
  readJson,
  shapeRequest,
} from '@looprig/inference'
import type { Tool, ToolResult } from '@looprig/tools'
import { closedSchema } from './closed-schema.ts'
import { invalidOutput, judgeOutput } from './judge-output.ts'
import type { OutputStrategy, OutputVerdict } from './output-strategy.ts'

/**
 * Takes the model's answer in words as its output: `native` where the provider holds that text to the schema, `prompt`
 * where the model is only told. A response with calls is no answer: they run, and the turn goes on.
 */
export class TextOutput implements OutputStrategy {
  readonly #strategy: 'native' | 'prompt'
  readonly #tool: Tool
  readonly #format: OutputFormat
  #shaped: { readonly system: string | undefined; readonly with: string | undefined } | undefined

  constructor(strategy: 'native' | 'prompt', tool: Tool, description: string | undefined) {
    this.#strategy = strategy
    this.#tool = tool
    const { inputSchema } = tool.info
    const schema = strategy === 'native' ? closedSchema(inputSchema) : inputSchema
    this.#format = Object.freeze({ name: 'output', ...(description === undefined ? {} : { description }), schema })
  }

  shape(request: InferenceRequest): InferenceRequest {
    if (this.#strategy === 'native') return shapeRequest(request, 'native', this.#format)
    // the same text for every request of the turn
    if (this.#shaped === undefined || this.#shaped.system !== request.system) {
      const { system } = shapeRequest(request, 'prompt', this.#format)
      const told = request.tools === undefined ? system : `${system}\n${toolsFirst}`
      this.#shaped = { system: request.system, with: told }
    }
    return { ...request, system: this.#shaped.with }
  }

  async judge(response: InferenceResponse): Promise<OutputVerdict> {
    if (response.toolCalls.length > 0) return { kind: 'calls', refused: nothingRefused }
    const found = outputTextOf(response, this.#strategy)
    if ('code' in found) return invalidOutput(found.message)
    const json = readJson(found.text)
    if ('fault' in json) {
      return invalidOutput(
        json.fault === 'syntax' ? 'the answer is not one JSON text' : 'an object of the answer has the same name twice',
      )
    }
    return judgeOutput(this.#tool, response, found.text)
  }
}

const toolsFirst = 'That is the form of your last answer. Call the tools that you need before it.'

const nothingRefused: ReadonlyMap<string, ToolResult> = new Map()
