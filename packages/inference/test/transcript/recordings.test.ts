import { type AIMessage, type Message, userMessage, validateTranscript } from '@looprig/core'
import { resultMessage } from '@looprig/core/testing'
import { adaptTranscript, transcriptRules } from '@looprig/inference'
import { decodeRecording } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { createAnthropicCodec } from '../../src/codec/anthropic-messages/codec.ts'
import { createBedrockCodec } from '../../src/codec/bedrock-converse/codec.ts'
import { createGeminiCodec } from '../../src/codec/gemini/codec.ts'
import { createChatCodec } from '../../src/codec/openai-chat/codec.ts'
import { createResponsesCodec } from '../../src/codec/openai-responses/codec.ts'
import { missingReason, readRecording, recordingsOf } from '../recordings/recordings.ts'

const codecs = [
  createAnthropicCodec(),
  createChatCodec(),
  createResponsesCodec(),
  createGeminiCodec(),
  createBedrockCodec(),
]
const model = { provider: 'p', name: 'm', capabilities: { tools: true, thinking: true } }

function historyOf(message: AIMessage): Message[] {
  const calls = message.blocks.filter((block) => block.type === 'tool_use')
  return [userMessage('Hi'), message, ...calls.map(({ id }) => resultMessage(id, 'ok')), userMessage('Go on.')]
}

const answers = codecs.flatMap((codec) => recordingsOf(codec.api).map((entry) => ({ codec, entry, file: entry.file })))

const title = missingReason === undefined ? 'a recorded answer' : `a recorded answer (${missingReason})`

describe.skipIf(missingReason !== undefined)(title, () => {
  it('is there', () => expect(answers.length).toBeGreaterThan(0))

  it.each(answers)('$file goes back to its own protocol as it came', async ({ codec, entry }) => {
    const { response, error } = await decodeRecording(codec, readRecording(entry))
    const declined = response.message.blocks.some((block) => block.type === 'refusal')
    if (error !== undefined || declined) return

    const rules = transcriptRules(codec.api, model.capabilities)

    expect(() => adaptTranscript(historyOf(response.message), rules, { strict: true })).not.toThrow()
  })

  it.each(answers)('$file can go to every other protocol', async ({ codec, entry }) => {
    const { response, error } = await decodeRecording(codec, readRecording(entry))
    if (error !== undefined) return

    for (const target of codecs) {
      const rules = transcriptRules(target.api, model.capabilities)
      const { messages } = adaptTranscript(historyOf(response.message), rules)

      expect(validateTranscript(messages).filter(({ code }) => code !== 'empty_assistant')).toEqual([])
      expect(() => target.encode({ model, messages }, 'stream')).not.toThrow()
    }
  })
})
