import type { Message } from '@looprig/core'
import type { InferenceRequest } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import type { Model } from '../../model/model.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { type EncodedMessage, encodeMessage, type MessageForm, systemMessage } from './encode-message.ts'
import type { ChatProfile, ChatReplay } from './profile.ts'
import { WireOrder } from './wire-order.ts'

/** How the messages of one request are written. */
interface Plan {
  /** The form of messages in a list of parts or not. */
  readonly parts: 'plain' | undefined
  /** The first message whose thinking goes back. */
  readonly replayFrom: number
  /** The last message that the next request sends again; it carries a cache marker. -1: none does. */
  readonly markAt: number
}

/** Writes the messages of requests. The text of each is kept, for each form, for as long as the message lives. */
export class TranscriptEncoder {
  readonly #profile: ChatProfile
  readonly #kept = new Map<string, WeakMap<Message, EncodedMessage>>()

  constructor(profile: ChatProfile) {
    this.#profile = profile
  }

  /**
   * Gives the JSON texts of all messages, joined.
   *
   * @param instructions - more of them, after those of the request.
   * @throws InferenceError `unsupported`, naming what the model or the protocol cannot express.
   */
  encode(request: InferenceRequest, instructions: string | undefined): string {
    const plan = planOf(request, this.#profile)
    const wire = new WireOrder(this.#profile.assistantAfterTools === true)
    for (const text of [request.system, instructions]) {
      if (text !== undefined && text !== '') wire.push('system', wellFormedJson(this.#system(text, plan)))
    }
    const before = this.#form(plan, false)
    const after = this.#form(plan, true)
    for (const [at, message] of request.messages.entries()) {
      const kept = at >= plan.replayFrom ? after : before
      const encoded =
        at === plan.markAt ? encodeMessage(message, { ...kept.form, parts: 'marked' }) : textOf(message, kept)
      if (encoded.media.length > 0) checkMedia(encoded, request.model)
      wire.add(message.role, encoded)
    }
    return wire.end()
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
  let encoded = texts.get(message)
  if (encoded === undefined) {
    encoded = encodeMessage(message, form)
    texts.set(message, encoded)
  }
  return encoded
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
    markAt: caches ? messages.findLastIndex(({ role }, at) => at < committed && role !== 'assistant') : -1,
  }
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

function checkMedia({ media }: EncodedMessage, model: Model): void {
  for (const kind of media) {
    const capability = capabilities[kind]
    if (model.capabilities?.[capability] === true) continue
    const what = kind === 'audio' ? 'audio' : kind === 'image' ? 'an image' : 'a document'
    throw unsupported('messages', `they hold ${what} and the model has no ${capability} capability`)
  }
}
