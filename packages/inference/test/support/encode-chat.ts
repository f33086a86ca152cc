import type { AIMessage, Block, ToolResultMessage } from '@looprig/core'
import type { InferenceRequest, Model } from '@looprig/inference'
import { type ChatProfile, createChatCodec } from '@looprig/inference/openai'

/** A model that takes everything. */
export const ableModel: Model = {
  provider: 'test',
  name: 'lark-2',
  capabilities: {
    tools: true,
    images: true,
    audio: true,
    documents: true,
    thinking: true,
    structuredOutput: true,
    promptCaching: true,
  },
}

/** A body of the Chat protocol, as far as tests look into it. */
export interface ChatBody {
  readonly [field: string]: unknown
  readonly messages: readonly Readonly<Record<string, unknown>>[]
}

/** Encodes a request for a model that takes everything, as the codec of a profile does. */
export function encodeChat(parts: Partial<InferenceRequest>, profile: ChatProfile = {}): ChatBody {
  const { body } = createChatCodec(profile).encode({ model: ableModel, messages: [], ...parts }, 'whole')
  return JSON.parse(body) // proved: the encoder writes an object with messages
}

/** A past answer. */
export const assistant = (...blocks: readonly Block[]): AIMessage => ({ role: 'assistant', blocks })

/** The result of a call. */
export const toolResult = (toolUseId: string, ...blocks: readonly Block[]): ToolResultMessage => ({
  role: 'tool',
  toolUseId,
  isError: false,
  blocks,
})
