import type { Message } from '@looprig/core'
import type { InferenceRequest } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import type { Model } from '../../model/model.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { GrowingText, withComma } from '../conversation/growing-text.ts'
import { once } from '../conversation/once.ts'
import { SettledMessages, settledCount } from '../conversation/settled-messages.ts'
import {
  type EncodedMessage,
  encodeMessage,
  type MediaKind,
  type MessageForm,
  systemMessage,
} from './encode-message.ts'
import type { ChatProfile, ChatReplay } from './profile.ts'
import { WireOrder } from './wire-order.ts'

/** How the messages of one request are written. */
interface Plan {
  /** The form of messages in a list of parts or not. */
  readonly parts: 'plain' | undefined
  /** The first message whose thinking goes back. */
  readonly replayFrom: number
  /** The last message that the next request sends again; it carries a cache marker. Past the end: none does. */
  readonly markAt: number
}

/** What is kept of the first messages of a conversation. */
interface Beginning {
  readonly text: GrowingText
  readonly order: WireOrder
  readonly media: Set<MediaKind>
}

/** Writes the messages of requests. The text of each is kept, for each form, for as long as the message lives. */
export class TranscriptEncoder {
  readonly #profile: ChatProfile
  readonly #kept = new Map<string, WeakMap<Message, EncodedMessage>>()
  readonly #settled: SettledMessages<Beginning>

  constructor(profile: ChatProfile) {
    this.#profile = profile
    const bridges = profile.assistantAfterTools === true
    this.#settled = new SettledMessages(() => ({
      text: new GrowingText(),
      order: new WireOrder(bridges),
      media: new Set(),
    }))
  }

  /**
   * Gives the JSON texts of all messages, joined.
   *
   * @param instructions - more of them, after those of the request.
   * @throws InferenceError `unsupported`, naming what the model or the protocol cannot express.
   */
  encode(request: InferenceRequest, instructions: string | undefined): string {
    const { messages } = request
    const plan = planOf(request, this.#profile)
    const write = this.#writer(plan)
    const settled = this.#settled.of(messages, plan.markAt, `${plan.parts} ${plan.replayFrom}`)
    const { text, order, media } = settled.state
    for (const message of messages.slice(settled.messages.length, Math.min(settledCount(request), plan.markAt))) {
      write(message, settled.messages.length, settled.state)
      for (const wire of order.take()) text.add(wire)
      settled.messages.push(message)
    }
    const rest = { order: order.fork(), media: new Set(media) }
    for (let at = settled.messages.length; at < messages.length; at += 1) write(messages[at], at, rest)
    checkMedia(rest.media, request.model)
    const said = [request.system ?? '', instructions ?? ''].filter((each) => each !== '')
    const heads = said.map((each) => wellFormedJson(this.#system(each, plan))).join(',')
    return withComma(heads, text.followedBy(rest.order.end()))
  }

  /** Writes the message at a place into an order, once and for all messages like it. */
  #writer(plan: Plan): (message: Message | undefined, at: number, into: Omit<Beginning, 'text'>) => void {
    const before = this.#form(plan, false)
    const after = this.#form(plan, true)
    return (message, at, { order, media }) => {
      if (message === undefined) return
      const kept = at >= plan.replayFrom ? after : before
      const encoded =
        at === plan.markAt ? encodeMessage(message, { ...kept.form, parts: 'marked' }) : textOf(message, kept)
      for (const kind of encoded.media) media.add(kind)
      order.add(message.role, encoded)
    }
  }

  #system(text: string, { parts }: Plan): object {
    return systemMessage(text, { profile: this.#profile, parts: parts === undefined ? undefined : 'marked' })
  }

  #form({ parts }: Plan, replays: boolean): KeptTexts {
    const name = `${parts} ${replays}`
    let texts = this.#kept.get(name)
    if (texts === undefined) {
      texts = new WeakMap()
      this.#kept.set(name, texts)
    }
    return { form: { profile: this.#profile, parts, replay: replays ? this.#profile.replay : undefined }, texts }
  }
}

interface KeptTexts {
  readonly form: MessageForm
  readonly texts: WeakMap<Message, EncodedMessage>
}

function textOf(message: Message, { form, texts }: KeptTexts): EncodedMessage {
  return once(texts, message, () => encodeMessage(message, form))
}

function planOf({ model, messages, transientMessages = 0 }: InferenceRequest, profile: ChatProfile): Plan {
  if (!(Number.isSafeInteger(transientMessages) && transientMessages >= 0 && transientMessages <= messages.length)) {
    throw unsupported('transientMessages', 'expected a whole number, at most that of the messages')
  }
  const caches = profile.cacheMarkers === true && model.capabilities?.promptCaching === true
  const committed = messages.length - transientMessages
  return {
    parts: caches ? 'plain' : undefined,
    replayFrom: replayFrom(profile.replay?.when, model.capabilities?.thinking, messages),
    markAt: caches ? markAt(messages, committed) : messages.length,
  }
}

function markAt(messages: readonly Message[], committed: number): number {
  const found = messages.findLastIndex(({ role }, at) => at < committed && role !== 'assistant')
  return found === -1 ? messages.length : found
}

/** A server that always wants past thinking refuses what comes without it, so a model that says nothing is given it. */
function replayFrom(
  when: ChatReplay['when'] | undefined,
  thinks: boolean | undefined,
  messages: readonly Message[],
): number {
  if (when === 'always' && thinks !== false) return 0
  if (when === 'tool-loop' && thinks === true) return messages.findLastIndex(({ role }) => role === 'user') + 1
  return Number.POSITIVE_INFINITY
}

/** The capability that each kind of media needs. */
const capabilities = { image: 'images', audio: 'audio', document: 'documents' } as const

function checkMedia(media: ReadonlySet<MediaKind>, model: Model): void {
  for (const kind of media) {
    const capability = capabilities[kind]
    if (model.capabilities?.[capability] === true) continue
    const what = kind === 'audio' ? 'audio' : kind === 'image' ? 'an image' : 'a document'
    throw unsupported('messages', `they hold ${what} and the model has no ${capability} capability`)
  }
}
