import type { InferenceRequest, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { once } from '../conversation/once.ts'
import type { WireMode } from '../wire-codec.ts'
import { encodeOutput } from './encode-output.ts'
import { encodeSampling } from './encode-sampling.ts'
import { encodeToolChoice, encodeTools } from './encode-tools.ts'
import { TranscriptEncoder } from './encode-transcript.ts'
import type { ChatProfile } from './profile.ts'

/**
 * Writes request bodies. Each message, and each list of tools, is encoded once and its text kept for as long as the
 * object lives, so a step pays for its new messages only; both must not change after their first request.
 */
export class ChatEncoder {
  readonly #profile: ChatProfile
  readonly #messages: TranscriptEncoder
  readonly #tools = new WeakMap<readonly ToolSpec[], string>()

  constructor(profile: ChatProfile = {}) {
    this.#profile = profile
    this.#messages = new TranscriptEncoder(profile)
  }

  /**
   * Gives the JSON text of the body.
   *
   * @throws InferenceError `unsupported`, naming the part that the model or the protocol cannot express.
   */
  encode(request: InferenceRequest, mode: WireMode): string {
    const { model, tools = [], toolChoice, parallelToolCalls } = request
    if (model.name === '') throw unsupported('model.name', 'expected a name')
    if (tools.length > 0 && model.capabilities?.tools !== true) {
      throw unsupported('tools', 'the model has no tools capability')
    }
    const choice = encodeToolChoice(toolChoice, tools, this.#profile)
    const output = encodeOutput(request, this.#profile)
    const head = wellFormedJson({
      ...this.#profile.body,
      model: model.name,
      ...encodeSampling(model, request.sampling, this.#profile),
      ...(choice.field === undefined ? {} : { tool_choice: choice.field }),
      ...(parallelToolCalls === undefined || tools.length === 0 ? {} : { parallel_tool_calls: parallelToolCalls }),
      ...(output === undefined ? {} : { response_format: output.field }),
      ...(mode === 'stream' ? this.#streamFields() : {}),
    })
    const toolsText = tools.length === 0 ? '' : `,"tools":${this.#toolsText(tools, choice.only)}`
    const messages = this.#messages.encode(request, output?.instructions)
    return `${head.slice(0, -1)}${toolsText},"messages":[${messages}]}`
  }

  #streamFields(): object {
    return this.#profile.streamUsage === false
      ? { stream: true }
      : { stream: true, stream_options: { include_usage: true } }
  }

  #toolsText(tools: readonly ToolSpec[], only: ReadonlySet<string> | undefined): string {
    if (only !== undefined) return encodeTools(tools.filter(({ name }) => only.has(name)))
    return once(this.#tools, tools, encodeTools)
  }
}
