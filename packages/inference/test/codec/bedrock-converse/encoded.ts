import { type Message, userMessage } from '@looprig/core'
import type { InferenceRequest, Model, ModelCapabilities } from '@looprig/inference'
import { createBedrockCodec } from '../../../src/codec/bedrock-converse/codec.ts'

/** A wire body, as far as tests look into it. */
export interface WireBody {
  readonly [member: string]: unknown
  readonly messages: readonly { readonly role: string; readonly content: readonly Record<string, unknown>[] }[]
}

export const model: Model = {
  provider: 'bedrock',
  name: 'eu.anthropic.wren-4-v1:0',
  capabilities: { tools: true, images: true, documents: true, audio: true },
}

export const modelWith = (capabilities: ModelCapabilities, name = model.name): Model => ({
  ...model,
  name,
  capabilities: { ...model.capabilities, ...capabilities },
})

export function encode(parts: Partial<InferenceRequest> = {}, codec = createBedrockCodec()): WireBody {
  const request = { model, messages: [userMessage('Hi')], ...parts }
  return JSON.parse(codec.encode(request, 'whole').body) as WireBody // proved: the codec writes an object with messages
}

/** The wire messages of a conversation. */
export const wire = (...messages: readonly Message[]): WireBody['messages'] => encode({ messages }).messages
