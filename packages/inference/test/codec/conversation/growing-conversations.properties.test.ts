import { contentArbitraries } from '@looprig/core/testing'
import type { InferenceRequest } from '@looprig/inference'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnthropicCodec } from '../../../src/codec/anthropic-messages/codec.ts'
import { createBedrockCodec } from '../../../src/codec/bedrock-converse/codec.ts'
import { createGeminiCodec } from '../../../src/codec/gemini/codec.ts'
import { createChatCodec } from '../../../src/codec/openai-chat/codec.ts'
import { chatProfiles } from '../../../src/codec/openai-chat/profiles.ts'
import { createResponsesCodec } from '../../../src/codec/openai-responses/codec.ts'
import type { WireCodec } from '../../../src/codec/wire-codec.ts'

const makers: readonly (readonly [name: string, make: () => WireCodec])[] = [
  ['openai-chat', () => createChatCodec()],
  ['openai-chat for mistral', () => createChatCodec(chatProfiles.mistral)],
  ['openai-chat for openrouter', () => createChatCodec(chatProfiles.openrouter)],
  ['anthropic-messages', () => createAnthropicCodec()],
  ['bedrock-converse', () => createBedrockCodec()],
  ['openai-responses', () => createResponsesCodec()],
  ['gemini', () => createGeminiCodec()],
]

const arbitraries = contentArbitraries(fc)
const anyMessages = fc.oneof(
  arbitraries.transcript({ asRequest: true }),
  arbitraries.transcript(),
  arbitraries.illegalTranscript.map(({ messages }) => messages),
  fc.array(arbitraries.message, { maxLength: 20 }),
)
/** One request of a conversation: so many of its messages, some of them for this request alone, for such a model. */
const anyRequest = fc.record({
  count: fc.nat(20),
  transient: fc.nat(2),
  promptCaching: fc.boolean(),
  thinking: fc.boolean(),
  withoutFirst: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0),
})

/** The names of documents depend on those that were given before: they are only unlike each other. */
function bodyOf(codec: WireCodec, request: InferenceRequest): string {
  try {
    return codec.encode(request, 'stream').body.replace(/"name":"[^"]*","source"/g, '"name":"","source"')
  } catch (error) {
    return String(error)
  }
}

describe.each(makers)('the encoder of %s', (_, make) => {
  it('writes each request of a conversation as if it were the first', () => {
    fc.assert(
      fc.property(anyMessages, fc.array(anyRequest, { minLength: 1, maxLength: 8 }), (messages, requests) => {
        const codec = make()
        for (const { count, transient, promptCaching, thinking, withoutFirst } of requests) {
          const capabilities = { tools: true, images: true, audio: true, documents: true, promptCaching, thinking }
          const sent = messages.slice(withoutFirst ? 1 : 0, count)
          const request: InferenceRequest = {
            model: { provider: 'p', name: 'm', capabilities, limits: { maxOutputTokens: 100 } },
            system: 'Be brief.',
            messages: sent,
            transientMessages: Math.min(transient, sent.length),
          }
          expect(bodyOf(codec, request)).toBe(bodyOf(make(), request))
        }
      }),
      { numRuns: 300 },
    )
  })
})
