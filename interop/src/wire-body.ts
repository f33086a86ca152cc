import { isJsonObject, isJsonValue, type JsonObject } from '@looprig/core'
import type { InferenceRequest, WireApi, WireCodec, WireMode } from '@looprig/inference'
import { createAnthropicCodec } from '@looprig/inference/anthropic'
import { createBedrockCodec } from '@looprig/inference/bedrock'
import { createGeminiCodec } from '@looprig/inference/gemini'
import { type ChatProfileName, chatProfiles, createChatCodec } from '@looprig/inference/openai'
import { createResponsesCodec } from '@looprig/inference/openai-responses'

/** A protocol, and of Chat Completions a dialect. */
export interface Dialect {
  readonly api: WireApi
  /** Default: `openai`. */
  readonly profile?: ChatProfileName
  /** Of Messages: whether beta features are on, whose blocks may then stand in the history. */
  readonly beta?: boolean
}

/** A dialect for people and for lists. */
export type DialectName = Exclude<WireApi, 'openai-chat'> | `openai-chat/${ChatProfileName}`

/** Names a dialect. */
export function dialectName({ api, profile = 'openai' }: Dialect): DialectName {
  return api === 'openai-chat' ? `${api}/${profile}` : api
}

/** Every protocol, and of Chat Completions every dialect. */
export const dialects: readonly Dialect[] = [
  { api: 'anthropic-messages' },
  { api: 'openai-responses' },
  { api: 'gemini' },
  { api: 'bedrock-converse' },
  ...typedKeys(chatProfiles).map((profile): Dialect => ({ api: 'openai-chat', profile })),
]

function typedKeys<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(record) as Key[] // proved: the profiles are a literal, which has no other keys
}

/** One body as it goes on the wire. */
export interface WireBody extends Dialect {
  /** Unique, for people. */
  readonly name: string
  readonly mode: WireMode
  readonly path: string
  readonly body: JsonObject
}

/** Makes the codec of a dialect. */
export function codecOf({ api, profile = 'openai' }: Dialect): WireCodec {
  switch (api) {
    case 'anthropic-messages':
      return createAnthropicCodec()
    case 'openai-chat':
      return createChatCodec(chatProfiles[profile])
    case 'openai-responses':
      return createResponsesCodec()
    case 'gemini':
      return createGeminiCodec({
        safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }],
      })
    case 'bedrock-converse':
      return createBedrockCodec()
    default:
      return api satisfies never
  }
}

/** Writes a request as it goes on the wire, both ways in which its answer may come. */
export function bodiesOf(name: string, dialect: Dialect, request: InferenceRequest): WireBody[] {
  const codec = codecOf(dialect)
  return modes.map((mode) => {
    const { path, body } = codec.encode(request, mode)
    const parsed: unknown = JSON.parse(body)
    if (!isJsonValue(parsed) || !isJsonObject(parsed)) throw new Error(`${name}: the body is no JSON object`)
    return { name: `${name}, ${mode}`, ...dialect, mode, path, body: parsed }
  })
}

const modes = ['stream', 'whole'] as const
