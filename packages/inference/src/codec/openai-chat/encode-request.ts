import type { Message } from '@looprig/core'
import type { InferenceRequest, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import type { WireMode } from '../wire-codec.ts'
import { type EncodedMessage, encodeMessage } from './encode-message.ts'
import { encodeSampling } from './encode-sampling.ts'
import { encodeToolChoice, encodeTools } from './encode-tools.ts'
import type { ChatProfile } from './profile.ts'

/**
 * Writes request bodies. Each message, and each list of tools, is encoded once and its text kept for as long as the
 * object lives, so a step pays for its new messages only; both must not change after their first request.
 */
export class ChatEncoder {
  readonly #profile: ChatProfile
  readonly #messages = new WeakMap<Message, EncodedMessage>()
  readonly #tools = new WeakMap<readonly ToolSpec[], string>()

  constructor(profile: ChatProfile = {}) {
    this.#profile = profile
  }

  /**
   * Gives the JSON text of the body.
   *
   * @throws InferenceError `unsupported`, naming the part that the model or the protocol cannot express.
   */
  encode(request: InferenceRequest, mode: WireMode): string {
    const { model, tools = [], toolChoice } = request
    if (model.name === '') throw unsupported('model.name', 'expected a name')
    if (tools.length > 0 && model.capabilities?.tools !== true) {
      throw unsupported('tools', 'the model has no tools capability')
    }
    const choice = encodeToolChoice(toolChoice, tools)
    const head = wellFormedJson({
      model: model.name,
      ...encodeSampling(model, request.sampling, this.#profile),
      ...(choice === undefined ? {} : { tool_choice: choice }),
      ...(mode === 'stream' ? this.#streamFields() : {}),
    })
    const toolsText = tools.length === 0 ? '' : `,"tools":${this.#toolsText(tools)}`
    return `${head.slice(0, -1)}${toolsText},"messages":[${this.#messagesText(request)}]}`
  }

  #streamFields(): object {
    return this.#profile.streamUsage === false
      ? { stream: true }
      : { stream: true, stream_options: { include_usage: true } }
  }

  #toolsText(tools: readonly ToolSpec[]): string {
    let text = this.#tools.get(tools)
    if (text === undefined) {
      text = encodeTools(tools)
      this.#tools.set(tools, text)
    }
    return text
  }

  #messagesText({ model, system, messages }: InferenceRequest): string {
    const texts: string[] = []
    if (system !== undefined && system !== '') texts.push(wellFormedJson({ role: 'system', content: system }))
    let moved: string[] = []
    for (const message of messages) {
      if (message.role !== 'tool' && moved.length > 0) {
        texts.push(userText(moved))
        moved = []
      }
      const { json, movedParts, hasImages } = this.#encoded(message)
      if (hasImages && model.capabilities?.images !== true) {
        throw unsupported('messages', 'they hold an image and the model has no images capability')
      }
      if (json !== undefined) texts.push(json)
      if (movedParts !== undefined) moved.push(movedParts)
    }
    if (moved.length > 0) texts.push(userText(moved))
    return texts.join(',')
  }

  #encoded(message: Message): EncodedMessage {
    let encoded = this.#messages.get(message)
    if (encoded === undefined) {
      encoded = encodeMessage(message)
      this.#messages.set(message, encoded)
    }
    return encoded
  }
}

function userText(parts: readonly string[]): string {
  return `{"role":"user","content":[${parts.join(',')}]}`
}
