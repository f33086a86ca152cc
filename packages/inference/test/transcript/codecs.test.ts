import { type AIMessage, isJsonObject, type JsonValue, type Message, userMessage } from '@looprig/core'
import { assistantMessage, contentArbitraries, foldEvents, resultMessage, toolUseBlock } from '@looprig/core/testing'
import { adaptTranscript, type ModelCapabilities, transcriptRules } from '@looprig/inference'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnthropicCodec } from '../../src/codec/anthropic-messages/codec.ts'
import { createBedrockCodec } from '../../src/codec/bedrock-converse/codec.ts'
import { createGeminiCodec } from '../../src/codec/gemini/codec.ts'
import { createChatCodec } from '../../src/codec/openai-chat/codec.ts'
import { createResponsesCodec } from '../../src/codec/openai-responses/codec.ts'
import type { WireApi, WireCodec } from '../../src/codec/wire-codec.ts'
import { thinkingResponses } from './thinking-responses.ts'

const arbitraries = contentArbitraries(fc)
const codecs: readonly WireCodec<WireApi>[] = [
  createAnthropicCodec(),
  createChatCodec(),
  createResponsesCodec(),
  createGeminiCodec(),
  createBedrockCodec(),
]
const capabilities = fc.record(
  { images: fc.boolean(), audio: fc.boolean(), documents: fc.boolean(), tools: fc.constant(true) },
  { noNullPrototype: true },
)
const anyHistory = fc.oneof(
  arbitraries.transcript({ asRequest: true }),
  arbitraries.transcript(),
  arbitraries.illegalTranscript.map(({ messages }) => messages),
  fc.array(arbitraries.message, { maxLength: 8 }),
)

function bodyOf(codec: WireCodec<WireApi>, messages: readonly Message[], able: ModelCapabilities): JsonValue {
  const adapted = adaptTranscript(messages, transcriptRules(codec.api, able)).messages
  const request = {
    model: { provider: 'p', name: 'm', capabilities: able, limits: { maxOutputTokens: 100 } },
    messages: [...adapted, userMessage('Go on.')],
  }
  return JSON.parse(codec.encode(request, 'whole').body) as JsonValue // proved: JSON.parse gives nothing else
}

/** The ids by which a body pairs calls and results; Gemini pairs by place. */
const idMembers: Record<string, readonly [call: string, result: string]> = {
  'anthropic-messages': ['id', 'tool_use_id'],
  'openai-chat': ['id', 'tool_call_id'],
  'openai-responses': ['call_id', 'call_id'],
  'bedrock-converse': ['toolUseId', 'toolUseId'],
}

/** Every object of a body that calls a tool or tells the result of a call, in order. */
function callParts(
  body: JsonValue,
): readonly { readonly kind: 'call' | 'result'; readonly id: JsonValue | undefined }[] {
  if (Array.isArray(body)) return body.flatMap(callParts)
  if (!isJsonObject(body)) return []
  const { type, role, functionCall, functionResponse, toolUse, toolResult } = body
  if (type === 'tool_use' || type === 'function') return [{ kind: 'call', id: body.id }]
  if (type === 'function_call') return [{ kind: 'call', id: body.call_id }]
  if (type === 'function_call_output') return [{ kind: 'result', id: body.call_id }]
  if (type === 'tool_result') return [{ kind: 'result', id: body.tool_use_id }]
  if (role === 'tool') return [{ kind: 'result', id: body.tool_call_id }]
  if (isJsonObject(functionCall)) return [{ kind: 'call', id: functionCall.name }]
  if (isJsonObject(functionResponse)) return [{ kind: 'result', id: functionResponse.name }]
  if (isJsonObject(toolUse)) return [{ kind: 'call', id: toolUse.toolUseId }]
  if (isJsonObject(toolResult)) return [{ kind: 'result', id: toolResult.toolUseId }]
  return Object.entries(body).flatMap(([name, part]) =>
    name === 'tools' || name === 'toolConfig' ? [] : callParts(part),
  )
}

describe.each(codecs)('the encoder of $api', (codec) => {
  it('takes every history that was adapted for its model, and writes well-formed text', () => {
    fc.assert(
      fc.property(anyHistory, capabilities, (messages, able) => {
        // half of a surrogate pair is the only thing that JSON of a text has to write like this
        expect(JSON.stringify(bodyOf(codec, messages, able))).not.toMatch(/\\ud[89a-f]/)
      }),
      { numRuns: 120 },
    )
  })

  it('gives every call of an adapted history one result, after it, in order, under an id of its own', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const parts = callParts(bodyOf(codec, messages, { tools: true }))
        const calls = parts.filter(({ kind }) => kind === 'call').map(({ id }) => id)
        const results = parts.filter(({ kind }) => kind === 'result').map(({ id }) => id)

        expect(results).toEqual(calls)
        if (codec.api in idMembers) expect(new Set(calls).size).toBe(calls.length)
      }),
      { numRuns: 100 },
    )
  })

  it('finds nothing to do in a plain history', () => {
    const messages = [
      userMessage('Read it.'),
      assistantMessage('Reading.', toolUseBlock('call_1', 'ReadFile', { path: 'a' })),
      resultMessage('call_1', 'the content'),
      assistantMessage('It says so.'),
      userMessage('Thanks.'),
    ]

    expect(adaptTranscript(messages, transcriptRules(codec.api)).changes).toEqual([])
  })
})

const model = { provider: 'p', name: 'm', capabilities: { tools: true, thinking: true } }

function historyOf(message: AIMessage): Message[] {
  const calls = message.blocks.filter((block) => block.type === 'tool_use')
  return [userMessage('Read it.'), message, ...calls.map(({ id }) => resultMessage(id, 'the content'))]
}

describe('private data of a response', () => {
  const redact = (text: string): string => text
  const answers = codecs.flatMap((codec) => {
    // Chat Completions has no private data by itself
    if (codec.api === 'openai-chat') return []
    const response = thinkingResponses[codec.api]
    const { message } = foldEvents(codec.decodeWhole(JSON.stringify(response), redact))
    return [{ api: codec.api, codec, message }]
  })

  it.each(answers)('of $api goes back as it came', ({ api, codec, message }) => {
    const history = historyOf(message)
    const { messages, changes } = adaptTranscript(history, transcriptRules(api))

    expect(changes).toEqual([])
    expect(messages).toEqual(history)
    expect(codec.encode({ model, messages }, 'whole').body).toMatch(/c2ln|ENC/)
  })

  const pairs = answers.flatMap((from) => codecs.filter(({ api }) => api !== from.api).map((to) => ({ from, to })))

  it.each(pairs)('of $from.api is not sent to $to.api, and told as dropped', ({ from, to }) => {
    const history = historyOf(from.message)
    const { messages, changes } = adaptTranscript(history, transcriptRules(to.api))
    const { body } = to.encode({ model, messages }, 'whole')

    expect(body).not.toMatch(/c2ln|ENC|b3BhcXVl|rs_1/)
    expect(body).toContain('Reading.')
    expect(changes).toContainEqual({ index: 1, blockIndex: 0, change: 'block_dropped', reason: 'foreign_thinking' })
  })

  it.each(pairs)('of $from.api makes strict adaptation to $to.api fail, naming block and target', ({ from, to }) => {
    const strict = () => adaptTranscript(historyOf(from.message), transcriptRules(to.api), { strict: true })

    expect(strict).toThrow(`messages[1].blocks[0]: foreign_thinking: ${to.api} does not take it as it is`)
    expect(strict).toThrow(expect.objectContaining({ code: 'unsupported', retryable: false }))
  })
})
