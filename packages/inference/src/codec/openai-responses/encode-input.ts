import {
  type AIMessage,
  assertNever,
  type Block,
  type Message,
  type ToolResultMessage,
  type ToolUseBlock,
  textOf,
} from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { replayedToolId } from '../anthropic-messages/legal-name.ts'
import { encodeAssistant, isCustomCall } from './encode-assistant.ts'
import { type Accepted, contentParts } from './encode-content.ts'

/** What one message became. */
interface EncodedItems {
  /** The items as JSON with commas between them; empty when there is nothing to send. */
  readonly json: string
  readonly hasImages: boolean
  /** What else the text depends on: ids that other messages of the request decided. */
  readonly key: string
}

/** A call of the step that is being written. */
interface WireCall {
  readonly toolUseId: string
  readonly wireId: string
  readonly isCustom: boolean
  /** Its result as JSON, once that came. */
  result: string | undefined
}

/** The calls of a step in their order. */
type Round = readonly WireCall[]

/**
 * Writes the input items of requests. Each message is encoded once and its text kept for as long as the object lives.
 *
 * The results of a step follow it in the order of its calls. An item names its call by id alone, so an id that an earlier
 * call of the request has gets a suffix, in the call and in its result. A call without a result gets one that says so,
 * and a result without a call becomes a text: the provider refuses both, at every later request too.
 */
export class InputEncoder {
  readonly #accepted: Accepted
  readonly #nameOf: (name: string) => string
  readonly #kept = new WeakMap<Message, EncodedItems>()

  constructor(accepted: Accepted, nameOf: (name: string) => string) {
    this.#accepted = accepted
    this.#nameOf = nameOf
  }

  /** @throws InferenceError `unsupported` for a block that has no place in a message of its role. */
  encode(messages: readonly Message[]): { readonly json: string; readonly hasImages: boolean } {
    const texts: string[] = []
    const orphans: string[] = []
    const usedIds = new Set<string>()
    let round: Round = noCalls
    let hasImages = false
    const add = (encoded: EncodedItems) => {
      if (encoded.json !== '') texts.push(encoded.json)
      hasImages ||= encoded.hasImages
    }
    const closeRound = () => {
      for (const call of round) texts.push(call.result ?? wellFormedJson(outputItem(call, noResult)))
      texts.push(...orphans.splice(0))
      round = noCalls
    }
    for (const message of messages) {
      switch (message.role) {
        case 'system':
          break
        case 'user':
          closeRound()
          add(this.#once(message, '', () => this.#user(message.blocks)))
          break
        case 'assistant':
          closeRound()
          round = roundOf(message, usedIds)
          add(this.#assistant(message, round))
          break
        case 'tool': {
          const call = round.find(({ toolUseId, result }) => toolUseId === message.toolUseId && result === undefined)
          const result = this.#result(message, call)
          hasImages ||= result.hasImages
          if (call === undefined) orphans.push(result.json)
          else call.result = result.json
          break
        }
        default:
          assertNever(message, 'message role')
      }
    }
    closeRound()
    return { json: texts.join(','), hasImages }
  }

  #once(message: Message, key: string, encode: () => Omit<EncodedItems, 'key'>): EncodedItems {
    const kept = this.#kept.get(message)
    if (kept?.key === key) return kept
    const encoded = { ...encode(), key }
    this.#kept.set(message, encoded)
    return encoded
  }

  #user(blocks: readonly Block[]): Omit<EncodedItems, 'key'> {
    const content = this.#content(blocks, 'a user message')
    return { json: wellFormedJson({ role: 'user', content }), hasImages: holdsImages(blocks) }
  }

  #assistant(message: AIMessage, round: Round): EncodedItems {
    const ids = round.map(({ wireId }) => wireId)
    const encode = () => ({ json: encodeAssistant(message, ids, this.#nameOf), hasImages: false })
    return this.#once(message, ids.join(' '), encode)
  }

  #result(message: ToolResultMessage, call: WireCall | undefined): EncodedItems {
    const { blocks } = message
    return this.#once(message, call === undefined ? '' : `${call.isCustom} ${call.wireId}`, () => {
      const content = this.#content(blocks, 'a tool result')
      const item = call === undefined ? orphan(content) : outputItem(call, content)
      return { json: wellFormedJson(item), hasImages: holdsImages(blocks) }
    })
  }

  /** A text, or parts where there is more than text. */
  #content(blocks: readonly Block[], where: string): string | object[] {
    return blocks.every((block) => block.type === 'text') ? textOf(blocks) : contentParts(blocks, where, this.#accepted)
  }
}

const noCalls: Round = []

/** The calls of a message, each under an id that no other call of the request has. */
function roundOf({ blocks }: AIMessage, usedIds: Set<string>): Round {
  return blocks.filter((block) => block.type === 'tool_use').map((block) => wireCall(block, usedIds))
}

function wireCall(block: ToolUseBlock, usedIds: Set<string>): WireCall {
  const legal = replayedToolId(block.id, /^[\x20-\x7e]+$/, maxIdLength)
  let wireId = legal
  for (let count = 2; usedIds.has(wireId); count += 1) wireId = `${legal.slice(0, maxIdLength - 8)}-${count}`
  usedIds.add(wireId)
  return { toolUseId: block.id, wireId, isCustom: isCustomCall(block), result: undefined }
}

const maxIdLength = 64

function outputItem({ wireId, isCustom }: WireCall, output: string | object[]): object {
  return { type: isCustom ? 'custom_tool_call_output' : 'function_call_output', call_id: wireId, output }
}

const noResult = '[There is no result of this call: it was interrupted.]'

function orphan(content: string | object[]): object {
  if (typeof content === 'string') return { role: 'user', content: `${orphanTitle}\n${content}` }
  return { role: 'user', content: [{ type: 'input_text', text: orphanTitle }, ...content] }
}

const orphanTitle = '[The result of a tool call that is no longer part of this conversation:]'

function holdsImages(blocks: readonly Block[]): boolean {
  return blocks.some((block) => block.type === 'image')
}

/** Refuses pictures for a model that does not claim to see. */
export function checkImages(hasImages: boolean, accepts: boolean | undefined): void {
  if (hasImages && accepts !== true) {
    throw unsupported('messages', 'they hold an image and the model has no images capability')
  }
}
