import type { Message } from '@looprig/core'
import type { InferenceRequest, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { type CacheLifetime, chooseCachePoints } from '../anthropic-messages/cache-points.ts'
import { type ChosenTools, chooseTools } from '../anthropic-messages/encode-tools.ts'
import { mayThink } from '../anthropic-messages/may-think.ts'
import { SettledTurns } from '../anthropic-messages/settled-turns.ts'
import { systemText } from '../anthropic-messages/system-text.ts'
import { encodeUnfinished } from '../anthropic-messages/unfinished.ts'
import { once } from '../conversation/once.ts'
import { DocumentNames } from './document-names.ts'
import { encodeFields } from './encode-fields.ts'
import { type EncodedMessage, encodeAssistant, encodeMessage } from './encode-message.ts'
import { isNova } from './encode-thinking.ts'
import { checkParallelCalls, encodeToolChoice, encodeTools, noTools } from './encode-tools.ts'
import { turnText } from './turn-text.ts'

/**
 * Writes request bodies. Each message, and each list of tools, is encoded once and its text kept for as long as the
 * object lives, so a step pays for its new messages only; both must not change after their first request.
 */
export class ConverseEncoder {
  readonly #cachePoint: string
  readonly #messages = new WeakMap<Message, EncodedMessage>()
  /** Messages whose documents had to be named anew in the last request. */
  readonly #renamed = new WeakMap<Message, EncodedMessage>()
  readonly #turns = new SettledTurns<EncodedMessage>(({ place, media }) => place === 'system' || media.length > 0)
  readonly #tools = new WeakMap<readonly ToolSpec[], string>()

  constructor(cacheLifetime: CacheLifetime) {
    const point = cacheLifetime === '5m' ? { type: 'default' } : { type: 'default', ttl: cacheLifetime }
    this.#cachePoint = JSON.stringify({ cachePoint: point })
  }

  /**
   * Gives the JSON text of the body.
   *
   * @throws InferenceError `unsupported`, naming the part that the model or the protocol cannot express.
   */
  encode(request: InferenceRequest): string {
    const { model } = request
    const tools = chooseTools(request.tools ?? [], request.toolChoice)
    if ((request.tools ?? []).length > 0 && model.capabilities?.tools !== true) {
      throw unsupported('tools', 'the model has no tools capability')
    }
    checkParallelCalls(request, tools)
    const arranged = this.#turns.arrange(request.messages, (rest, before) => this.#encoded(rest, before))
    const { pieces, turns, notable } = arranged
    checkMedia(request, notable)
    const { fields, thinks } = encodeFields(request, tools, mayThink(turns, pieces))
    encodeUnfinished(request.messages, pieces, turns, (message) => encodeAssistant(message, { keepThinking: thinks }))

    const points = chooseCachePoints(request, pieces, turns)
    const system = systemText(request.system, notable)
    const pointAfter = (index: number) => (points?.has(index) === true ? this.#cachePoint : '')
    const messages = this.#turns.text(request, arranged, points, (turn, at) => turnText(turn, at, pieces, pointAfter))
    const members: string[] = []
    if (system !== '')
      members.push(`,"system":[${this.#cached(wellFormedJson({ text: system }), points !== undefined)}]`)
    const toolConfig = this.#toolConfig(tools, pieces, points !== undefined && !isNova(model))
    if (toolConfig !== undefined) members.push(`,"toolConfig":${toolConfig}`)
    if (fields !== '{}') members.push(`,${fields.slice(1, -1)}`)
    // the messages stand in no list that is joined, which would copy the whole conversation
    return `{"messages":[${messages}]${members.join('')}}`
  }

  /** The names of documents must differ over the whole request, so a message whose names are taken gets others. */
  #encoded(messages: readonly Message[], before: readonly EncodedMessage[]): EncodedMessage[] {
    const taken = new Set<string>()
    for (const { documents } of before) for (const name of documents) taken.add(name.toLowerCase())
    return messages.map((message) => {
      const encoded = this.#kept(this.#messages, message, taken) ?? this.#kept(this.#renamed, message, taken)
      const chosen = encoded ?? this.#encodeNew(message, taken)
      for (const name of chosen.documents) taken.add(name.toLowerCase())
      return chosen
    })
  }

  #kept(
    texts: WeakMap<Message, EncodedMessage>,
    message: Message,
    taken: ReadonlySet<string>,
  ): EncodedMessage | undefined {
    const encoded = texts.get(message)
    if (encoded === undefined || encoded.documents.length === 0) return encoded
    return encoded.documents.some((name) => taken.has(name.toLowerCase())) ? undefined : encoded
  }

  #encodeNew(message: Message, taken: ReadonlySet<string>): EncodedMessage {
    const encoded = encodeMessage(message, new DocumentNames(taken))
    const texts = this.#messages.has(message) ? this.#renamed : this.#messages
    texts.set(message, encoded)
    return encoded
  }

  #toolConfig(chosen: ChosenTools, pieces: readonly EncodedMessage[], mayCache: boolean): string | undefined {
    if (chosen.choice === 'none') {
      const hasCalls = pieces.some(({ place, callIds = [] }) => place === 'result' || callIds.length > 0)
      return hasCalls ? `{"tools":${noTools}}` : undefined
    }
    const choice = encodeToolChoice(chosen)
    const list = `[${this.#cached(once(this.#tools, chosen.tools, encodeTools).slice(1, -1), mayCache)}]`
    return `{"tools":${list}${choice === undefined ? '' : `,"toolChoice":${wellFormedJson(choice)}`}}`
  }

  #cached(parts: string, isCached: boolean): string {
    return isCached ? `${parts},${this.#cachePoint}` : parts
  }
}

function checkMedia({ model }: InferenceRequest, pieces: readonly EncodedMessage[]): void {
  const { images, audio, documents } = model.capabilities ?? {}
  for (const { media } of pieces) {
    if (media.length === 0) continue
    if (images !== true && media.includes('image')) throw lacking('an image', 'images')
    if (audio !== true && media.includes('audio')) throw lacking('sound', 'audio')
    if (documents !== true && media.includes('document')) throw lacking('a document', 'documents')
  }
}

function lacking(what: string, capability: string): Error {
  return unsupported('messages', `they hold ${what} and the model has no ${capability} capability`)
}
