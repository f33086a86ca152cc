import { type AIMessage, assertNever, type Message, type ToolResultMessage, type ToolUseBlock } from '@looprig/core'
import type { InferenceRequest } from '../../client/request.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { GrowingText } from '../conversation/growing-text.ts'
import { SettledMessages, settledCount } from '../conversation/settled-messages.ts'
import type { Accepted } from './encode-media.ts'
import { modelParts, userParts } from './encode-parts.ts'
import { type EncodedResult, encodeResult, missingResult, orphanParts } from './encode-result.ts'

/** What one message became. */
interface EncodedMessage {
  /** The content as JSON; empty when there is nothing to send, and for a result of a call. */
  readonly json: string
  readonly result?: EncodedResult
  /** The call that a result was encoded for: another one may have another name. */
  readonly call?: ToolUseBlock | undefined
}

/** How the messages of one kind of model are written. */
export interface ContentsOptions extends Accepted {
  /** The first call of every step must have a signature. */
  readonly wantsSignatures: boolean
}

/** One call of the step that is being written. */
interface OpenCall {
  readonly call: ToolUseBlock
  /** Its result, once that came. */
  result: EncodedResult | undefined
}

/** What is written of a request. */
interface Draft {
  readonly texts: string[]
  readonly orphans: string[]
  round: readonly OpenCall[]
}

/**
 * Writes the contents of requests. Each message is encoded once and its text kept for as long as the object lives.
 *
 * The results of a step are one content, one for each call and in the order of the calls. A call without a result gets
 * one that says so, and a result without a call becomes a text: the provider refuses both, at every later request too.
 */
export class ContentsEncoder {
  readonly #options: ContentsOptions
  readonly #kept = new WeakMap<Message, EncodedMessage>()
  readonly #settled = new SettledMessages(() => new GrowingText())

  constructor(options: ContentsOptions) {
    this.#options = options
  }

  /** @throws InferenceError `unsupported` for a block that has no place in a message of its role. */
  encode(request: InferenceRequest): string {
    const { messages } = request
    const settled = this.#settled.of(messages, messages.length)
    const next = messages.slice(settled.messages.length, settledCount(request))
    // whatever follows, an answer of the model comes first: it closes the last step of these
    for (const text of this.#write(next)) settled.state.add(text)
    settled.messages.push(...next)
    return settled.state.followedBy(this.#write(messages.slice(settled.messages.length)))
  }

  #write(messages: readonly Message[]): readonly string[] {
    const draft: Draft = { texts: [], orphans: [], round: [] }
    for (const message of messages) this.#add(message, draft)
    closeRound(draft)
    return draft.texts
  }

  #add(message: Message, draft: Draft): void {
    if (message.role === 'tool') {
      const open = draft.round.find(({ call, result }) => call.id === message.toolUseId && result === undefined)
      const { json, result } = this.#result(message, open?.call)
      if (open === undefined) draft.orphans.push(json)
      else open.result = result
      return
    }
    closeRound(draft)
    const { json } = this.#content(message)
    if (json !== '') draft.texts.push(json)
    if (message.role === 'assistant') draft.round = roundOf(message)
  }

  #content(message: Exclude<Message, ToolResultMessage>): EncodedMessage {
    const kept = this.#kept.get(message)
    if (kept !== undefined) return kept
    const encoded = { json: this.#contentText(message) }
    this.#kept.set(message, encoded)
    return encoded
  }

  #contentText(message: Exclude<Message, ToolResultMessage>): string {
    switch (message.role) {
      case 'system':
        return ''
      case 'user':
        return contentText('user', userParts(message.blocks, this.#options))
      case 'assistant':
        return contentText('model', modelParts(message, this.#options.wantsSignatures))
      default:
        return assertNever(message, 'message role')
    }
  }

  #result(message: ToolResultMessage, call: ToolUseBlock | undefined): EncodedMessage {
    const kept = this.#kept.get(message)
    if (kept !== undefined && kept.call === call) return kept
    const encoded: EncodedMessage =
      call === undefined
        ? { json: contentText('user', orphanParts(message, this.#options)) }
        : { json: '', result: encodeResult(message, call, this.#options), call }
    this.#kept.set(message, encoded)
    return encoded
  }
}

function closeRound(draft: Draft): void {
  if (draft.round.length > 0) draft.texts.push(roundText(draft.round))
  draft.texts.push(...draft.orphans.splice(0))
  draft.round = []
}

function roundOf({ blocks }: AIMessage): OpenCall[] {
  return blocks.filter((block) => block.type === 'tool_use').map((call) => ({ call, result: undefined }))
}

function roundText(round: readonly OpenCall[]): string {
  const responses = round.map(({ call, result }) => result?.response ?? missingResult(call))
  const media = round.flatMap(({ result }) => result?.media || [])
  return `{"role":"user","parts":[${[...responses, ...media].join(',')}]}`
}

function contentText(role: 'user' | 'model', parts: readonly object[]): string {
  return parts.length === 0 ? '' : wellFormedJson({ role, parts })
}
