import type { Message } from '@looprig/core'
import type { InferenceRequest, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { arrangeTurns, type Turn } from '../anthropic-messages/arrange-turns.ts'
import { type CacheLifetime, chooseCachePoints } from '../anthropic-messages/cache-points.ts'
import { chooseSampling, encodeEffort, maxTokensOf, type Thinking } from '../anthropic-messages/encode-sampling.ts'
import { type ChosenTools, chooseTools, isForced } from '../anthropic-messages/encode-tools.ts'
import { mayThink } from '../anthropic-messages/may-think.ts'
import { systemText } from '../anthropic-messages/system-text.ts'
import { DocumentNames } from './document-names.ts'
import { type EncodedMessage, encodeAssistant, encodeMessage } from './encode-message.ts'
import { encodeThinking, isNova } from './encode-thinking.ts'
import { checkParallelCalls, encodeToolChoice, encodeTools, noTools } from './encode-tools.ts'

/**
 * Writes request bodies. Each message, and each list of tools, is encoded once and its text kept for as long as the
 * object lives, so a step pays for its new messages only; both must not change after their first request.
 */
export class ConverseEncoder {
  readonly #cachePoint: string
  readonly #messages = new WeakMap<Message, EncodedMessage>()
  /** Messages whose documents had to be named anew in the last request. */
  readonly #renamed = new WeakMap<Message, EncodedMessage>()
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
    const pieces = this.#encoded(request.messages)
    checkMedia(request, pieces)
    const turns = arrangeTurns(pieces)
    const { fields, thinks } = encodeFields(request, tools, mayThink(turns, pieces))
    finishLast(request, pieces, turns, thinks)

    const points = chooseCachePoints(request, pieces, turns)
    const system = systemText(request.system, pieces)
    const members = [
      `"messages":[${messagesText(turns, pieces, (index) => (points?.has(index) === true ? this.#cachePoint : ''))}]`,
    ]
    if (system !== '') members.push(`"system":[${this.#cached(wellFormedJson({ text: system }), points !== undefined)}]`)
    const toolConfig = this.#toolConfig(tools, pieces, points !== undefined && !isNova(model))
    if (toolConfig !== undefined) members.push(`"toolConfig":${toolConfig}`)
    if (fields !== '{}') members.push(fields.slice(1, -1))
    return `{${members.join(',')}}`
  }

  /** The names of documents must differ over the whole request, so a message whose names are taken gets others. */
  #encoded(messages: readonly Message[]): EncodedMessage[] {
    const taken = new Set<string>()
    return messages.map((message) => {
      const encoded = this.#kept(this.#messages, message, taken) ?? this.#kept(this.#renamed, message, taken)
      const chosen = encoded ?? this.#encodeNew(message, taken)
      for (const name of chosen.documents) taken.add(name.toLowerCase())
      return chosen
    })
  }

  #kept(texts: WeakMap<Message, EncodedMessage>, message: Message, taken: ReadonlySet<string>): EncodedMessage | undefined {
    const encoded = texts.get(message)
    return encoded?.documents.some((name) => taken.has(name.toLowerCase())) === true ? undefined : encoded
  }

  #encodeNew(message: Message, taken: ReadonlySet<string>): EncodedMessage {
    const encoded = encodeMessage(message, new DocumentNames(taken))
    const texts = this.#messages.has(message) ? this.#renamed : this.#messages
    texts.set(message, encoded)
    return encoded
  }

  #toolConfig(chosen: ChosenTools, pieces: readonly EncodedMessage[], mayCache: boolean): string | undefined {
    if (chosen.choice === 'none') {
      const hasCalls = pieces.some(({ kinds }) => kinds.has('toolUse') || kinds.has('toolResult'))
      return hasCalls ? `{"tools":${noTools}}` : undefined
    }
    const choice = encodeToolChoice(chosen)
    const list = `[${this.#cached(this.#toolsText(chosen.tools).slice(1, -1), mayCache)}]`
    return `{"tools":${list}${choice === undefined ? '' : `,"toolChoice":${wellFormedJson(choice)}`}}`
  }

  #toolsText(tools: readonly ToolSpec[]): string {
    let text = this.#tools.get(tools)
    if (text === undefined) {
      text = encodeTools(tools)
      this.#tools.set(tools, text)
    }
    return text
  }

  #cached(parts: string, isCached: boolean): string {
    return isCached ? `${parts},${this.#cachePoint}` : parts
  }
}

/** An assistant message at the end is one that the model goes on with; there the provider is stricter. */
function finishLast(
  { messages }: InferenceRequest,
  pieces: EncodedMessage[],
  turns: readonly Turn[],
  keepThinking: boolean,
): void {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return
  for (const index of last.others) {
    const message = messages[index]
    if (message?.role === 'assistant') pieces[index] = encodeAssistant(message, { keepThinking })
  }
}

function encodeFields(
  request: InferenceRequest,
  tools: ChosenTools,
  mayThinkNow: boolean,
): { readonly fields: string; readonly thinks: boolean } {
  const { model } = request
  const sampling = chooseSampling(model, request.sampling)
  const asked = encodeEffort(model, sampling.effort, maxTokensOf(model, sampling))
  // a call cannot be forced and thought about, and a budget cannot begin in the middle of a step
  const thinking = isForced(tools) || (!mayThinkNow && asked?.effort === undefined) ? undefined : asked
  const { ownsMaxTokens, ...more } = encodeThinking(model, thinking)
  const limit = sampling.maxOutputTokens ?? model.limits?.maxOutputTokens
  const maxTokens = thinking === undefined ? limit : maxTokensOf(model, sampling)
  const { temperature, topP, stop } = sampling
  const inferenceConfig = {
    ...(maxTokens === undefined || ownsMaxTokens === true ? {} : { maxTokens }),
    ...(temperature === undefined || thinking !== undefined ? {} : { temperature }),
    ...(topP === undefined || thinking !== undefined ? {} : { topP }),
    ...(stop.length === 0 ? {} : { stopSequences: stop }),
  }
  const fields = wellFormedJson({
    ...(Object.keys(inferenceConfig).length === 0 ? {} : { inferenceConfig }),
    ...more,
    ...outputConfig(request, asked),
  })
  return { fields, thinks: thinking !== undefined }
}

/** How much effort, which holds without thinking too, and what form the answer has. */
function outputConfig({ model, output }: InferenceRequest, asked: Thinking | undefined): object {
  if (output !== undefined && model.capabilities?.structuredOutput !== true) {
    throw unsupported('output', 'the model has no structuredOutput capability')
  }
  const config = {
    ...(asked?.effort === undefined || isNova(model) ? {} : { effort: asked.effort }),
    ...(output === undefined ? {} : { textFormat: textFormat(output) }),
  }
  return Object.keys(config).length === 0 ? {} : { outputConfig: config }
}

function textFormat({ name, description, schema }: NonNullable<InferenceRequest['output']>): object {
  const jsonSchema = { schema: wellFormedJson(schema), name, ...(description === undefined ? {} : { description }) }
  return { type: 'json_schema', structure: { jsonSchema } }
}

function checkMedia({ model }: InferenceRequest, pieces: readonly EncodedMessage[]): void {
  const { images, audio, documents } = model.capabilities ?? {}
  for (const { kinds } of pieces) {
    if (kinds.has('image') && images !== true) throw unsupported('messages', 'they hold an image and the model has no images capability')
    if (kinds.has('audio') && audio !== true) throw unsupported('messages', 'they hold sound and the model has no audio capability')
    if (kinds.has('document') && documents !== true) throw unsupported('messages', 'they hold a document and the model has no documents capability')
  }
}

/** A user must speak first, and never in one message with results, nor right after them. */
function messagesText(
  turns: readonly Turn[],
  pieces: readonly EncodedMessage[],
  pointAfter: (index: number) => string,
): string {
  const texts: string[] = []
  const push = (role: Turn['role'], indexes: readonly number[]) => {
    if (indexes.length === 0) return
    const parts = indexes.flatMap((index) => [pieces[index]?.parts ?? '', pointAfter(index)]).filter((part) => part !== '')
    texts.push(`{"role":"${role}","content":[${parts.join(',')}]}`)
  }
  if (turns[0]?.role === 'assistant') texts.push(opening)
  for (const { role, results, others } of turns) {
    push(role, results)
    if (results.length > 0 && others.length > 0) texts.push(separator)
    push(role, others)
  }
  return texts.join(',')
}

const opening = '{"role":"user","content":[{"text":"[The conversation so far begins with your answer.]"}]}'

const separator =
  '{"role":"assistant","content":[{"text":"[I have the tool results. The next message is not one of them.]"}]}'
