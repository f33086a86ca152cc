import type { AIMessage, Block, Message, ToolResultMessage } from '@looprig/core'
import { userMessage } from '@looprig/core'
import type { InferenceRequest, Model, ModelCapabilities } from '@looprig/inference'
import { createAnthropicCodec } from '../../../src/codec/anthropic-messages/codec.ts'

/** A wire body, as far as tests look into it. */
export interface WireBody {
  readonly [member: string]: unknown
  readonly messages: readonly { readonly role: string; readonly content: readonly Record<string, unknown>[] }[]
}

export const model: Model = {
  provider: 'anthropic',
  name: 'wren-4',
  capabilities: { tools: true, images: true, documents: true },
}

export const modelWith = (capabilities: ModelCapabilities): Model => ({
  ...model,
  capabilities: { ...model.capabilities, ...capabilities },
})

export function encode(parts: Partial<InferenceRequest> = {}, codec = createAnthropicCodec()): WireBody {
  const request = { model, messages: [userMessage('Hi')], ...parts }
  return JSON.parse(codec.encode(request, 'whole').body) as WireBody // proved: the codec writes an object with messages
}

export const said = (...blocks: readonly Block[]): AIMessage => ({ role: 'assistant', blocks })
export const textBlock = (text: string): Block => ({ type: 'text', text })
export const call = (id: string, name = 'read', input = {}): Block => ({ type: 'tool_use', id, name, input })

export const result = (toolUseId: string, ...blocks: readonly (Block | string)[]): ToolResultMessage => ({
  role: 'tool',
  toolUseId,
  isError: false,
  blocks: blocks.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
})

export const sealed = (text: string, signature: string, format = 'anthropic'): Block => ({
  type: 'thinking',
  text,
  seal: { format, signature },
})

export const png: Block = { type: 'image', mediaType: 'image/png', data: 'iVBORw0=' }

/** The wire messages of a conversation. */
export const wire = (...messages: readonly Message[]): WireBody['messages'] => encode({ messages }).messages
