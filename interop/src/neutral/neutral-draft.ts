import type { Block, JsonObject, JsonValue, Message } from '@looprig/core'
import type { InferenceRequest, OutputFormat, Sampling, ToolChoice, ToolSpec, WireCodec } from '@looprig/inference'
import { decodeRecording } from '@looprig/inference/testing'

/** A recorded request in neutral form. */
export interface NeutralRequest {
  readonly request: InferenceRequest
  /** What of the recording has no neutral form and was left out. */
  readonly left: readonly string[]
}

/** Collects what a recorded request says, in neutral form. */
export class NeutralDraft {
  readonly messages: Message[] = []
  readonly tools: ToolSpec[] = []
  readonly left: string[] = []
  readonly #codec: WireCodec
  readonly #name: string
  #system: string[] = []
  #caches = false
  sampling: Sampling = {}
  toolChoice: ToolChoice | undefined
  parallelToolCalls: boolean | undefined
  output: OutputFormat | undefined

  constructor(codec: WireCodec, name: string) {
    this.#codec = codec
    this.#name = name
  }

  /** Notes what cannot be said. */
  leave(part: string): void {
    this.left.push(part)
  }

  /** The recording had cache markers: ours go where we put them. */
  cache(): void {
    this.#caches = true
  }

  addSystem(text: string | undefined): void {
    if (text !== undefined && text !== '') this.#system.push(text)
  }

  addUser(blocks: readonly Block[]): void {
    if (blocks.length > 0) this.messages.push({ role: 'user', blocks })
  }

  addResult(toolUseId: string, blocks: readonly Block[], isError = false): void {
    this.messages.push({ role: 'tool', toolUseId, isError, blocks })
  }

  addTool(name: string | undefined, description: string | undefined, inputSchema: JsonObject, strict?: boolean): void {
    if (name === undefined) return
    this.tools.push({ name, description: description ?? '', inputSchema, ...(strict === undefined ? {} : { strict }) })
  }

  /** Adds a past answer as its codec reads it: a turn of a request has the form of a response. */
  async addAnswer(response: JsonValue): Promise<readonly Block[]> {
    const bytes = new TextEncoder().encode(JSON.stringify(response))
    const decoded = await decodeRecording(this.#codec, { bytes, form: 'whole' })
    if (decoded.error !== undefined) throw decoded.error
    const { blocks } = decoded.response.message
    this.messages.push({ role: 'assistant', blocks })
    return blocks
  }

  end(): NeutralRequest {
    const { messages, tools, sampling, toolChoice, parallelToolCalls, output, left } = this
    const request: InferenceRequest = {
      model: {
        provider: 'recorded',
        name: this.#name,
        capabilities: {
          tools: true,
          images: true,
          audio: true,
          documents: true,
          structuredOutput: true,
          thinking: sampling.effort !== undefined,
          thinkingDialect: 'budget',
          promptCaching: this.#caches,
        },
      },
      system: this.#system.length === 0 ? undefined : this.#system.join('\n\n'),
      messages,
      tools: tools.length === 0 ? undefined : tools,
      toolChoice,
      parallelToolCalls,
      output,
      sampling,
    }
    return { request, left }
  }
}
