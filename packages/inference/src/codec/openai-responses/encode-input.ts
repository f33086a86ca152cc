import {
  type AIMessage,
  assertNever,
  type Block,
  type Message,
  type ToolResultMessage,
  type ToolUseBlock,
  textOf,
} from '@looprig/core'
import type { InferenceRequest } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { GrowingText } from '../conversation/growing-text.ts'
import { type Settled, SettledMessages, settledCount } from '../conversation/settled-messages.ts'
import { replayedToolId } from '../schema/legal-name.ts'
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

/** The items of the first messages of a conversation, and what the next ones need to know of them. */
interface Items {
  readonly texts: GrowingText
  readonly usedIds: Set<string>
  hasImages: boolean
}

/** What is written of a request. */
interface Draft {
  readonly texts: string[]
  readonly orphans: string[]
  readonly usedIds: Set<string>
  /** Ids of calls that are settled. */
  readonly settledIds: ReadonlySet<string>
  round: Round
  hasImages: boolean
}

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
  readonly #settled = new SettledMessages<Items>(() => ({
    texts: new GrowingText(),
    usedIds: new Set(),
    hasImages: false,
  }))

  constructor(accepted: Accepted, nameOf: (name: string) => string) {
    this.#accepted = accepted
    this.#nameOf = nameOf
  }

  /** @throws InferenceError `unsupported` for a block that has no place in a message of its role. */
  encode(request: InferenceRequest): { readonly json: string; readonly hasImages: boolean } {
    const { messages } = request
    const settled = this.#settled.of(messages, messages.length)
    const next = messages.slice(settled.messages.length, settledCount(request))
    if (next.length > 0) this.#settle(settled, next)
    const { texts, usedIds, hasImages } = settled.state
    const rest = this.#write(messages.slice(settled.messages.length), usedIds)
    return { json: texts.followedBy(rest.texts), hasImages: hasImages || rest.hasImages }
  }

  /** Whatever follows, an answer of the model comes first: it closes the last step of these. */
  #settle({ messages, state }: Settled<Items>, next: readonly Message[]): void {
    const { texts, usedIds, hasImages } = this.#write(next, state.usedIds)
    for (const text of texts) state.texts.add(text)
    for (const id of usedIds) state.usedIds.add(id)
    state.hasImages ||= hasImages
    messages.push(...next)
  }

  #write(messages: readonly Message[], settledIds: ReadonlySet<string>): Draft {
    const draft: Draft = { texts: [], orphans: [], usedIds: new Set(), settledIds, round: noCalls, hasImages: false }
    for (const message of messages) this.#add(message, draft)
    closeRound(draft)
    return draft
  }

  #add(message: Message, draft: Draft): void {
    switch (message.role) {
      case 'system':
        return
      case 'user':
        closeRound(draft)
        take(
          this.#once(message, '', () => this.#user(message.blocks)),
          draft,
        )
        return
      case 'assistant':
        closeRound(draft)
        draft.round = roundOf(message, draft)
        take(this.#assistant(message, draft.round), draft)
        return
      case 'tool': {
        const call = draft.round.find(
          ({ toolUseId, result }) => toolUseId === message.toolUseId && result === undefined,
        )
        const result = this.#result(message, call)
        draft.hasImages ||= result.hasImages
        if (call === undefined) draft.orphans.push(result.json)
        else call.result = result.json
        return
      }
      default:
        assertNever(message, 'message role')
    }
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

function take({ json, hasImages }: EncodedItems, draft: Draft): void {
  if (json !== '') draft.texts.push(json)
  draft.hasImages ||= hasImages
}

function closeRound(draft: Draft): void {
  for (const call of draft.round) draft.texts.push(call.result ?? wellFormedJson(outputItem(call, noResult)))
  draft.texts.push(...draft.orphans.splice(0))
  draft.round = noCalls
}

/** The calls of a message, each under an id that no other call of the request has. */
function roundOf({ blocks }: AIMessage, draft: Draft): Round {
  return blocks.filter((block) => block.type === 'tool_use').map((block) => wireCall(block, draft))
}

function wireCall(block: ToolUseBlock, { usedIds, settledIds }: Draft): WireCall {
  const legal = replayedToolId(block.id, /^[\x20-\x7e]+$/, maxIdLength)
  let wireId = legal
  for (let count = 2; usedIds.has(wireId) || settledIds.has(wireId); count += 1)
    wireId = `${legal.slice(0, maxIdLength - 8)}-${count}`
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
