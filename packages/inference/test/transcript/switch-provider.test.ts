import { type Message, textOf, userMessage } from '@looprig/core'
import { foldEvents, resultMessage } from '@looprig/core/testing'
import { adaptTranscript, transcriptRules } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { createAnthropicCodec } from '../../src/codec/anthropic-messages/codec.ts'
import { createBedrockCodec } from '../../src/codec/bedrock-converse/codec.ts'
import { createGeminiCodec } from '../../src/codec/gemini/codec.ts'
import { createChatCodec } from '../../src/codec/openai-chat/codec.ts'
import { createResponsesCodec } from '../../src/codec/openai-responses/codec.ts'
import { thinkingResponses } from './thinking-responses.ts'

const codecs = [
  createAnthropicCodec(),
  createChatCodec(),
  createResponsesCodec(),
  createGeminiCodec(),
  createBedrockCodec(),
]
const model = { provider: 'p', name: 'm', capabilities: { tools: true, thinking: true } }

/** Lets every provider answer in turn, each asked with the whole history so far as it takes it. */
function playSession(): { readonly history: readonly Message[]; readonly bodies: readonly string[] } {
  const history: Message[] = []
  const bodies: string[] = []
  for (const [turn, codec] of [...codecs, codecs[0]].entries()) {
    if (codec === undefined) continue
    history.push(userMessage(`question ${turn}`))
    const { messages } = adaptTranscript(history, transcriptRules(codec.api, model.capabilities))
    bodies.push(codec.encode({ model, messages }, 'whole').body)
    const { message } = foldEvents(codec.decodeWhole(JSON.stringify(thinkingResponses[codec.api]), (text) => text))
    const calls = message.blocks.filter((block) => block.type === 'tool_use')
    history.push(message, ...calls.map(({ id }) => resultMessage(id, `result ${turn}`)))
  }
  return { history, bodies }
}

describe('a session that goes from provider to provider and back', () => {
  const { history, bodies } = playSession()

  it('tells every provider all that was said, asked and found before', () => {
    for (const [turn, body] of bodies.entries()) {
      for (let earlier = 0; earlier < turn; earlier += 1) {
        expect(body).toContain(`question ${earlier}`)
        expect(body).toContain(`result ${earlier}`)
      }
      expect(body.split('Reading.')).toHaveLength(turn + 1)
    }
  })

  it('gives a provider its own private data back after others have answered, byte for byte, and nobody else', () => {
    const [, , , , , back = ''] = bodies

    expect(back).toContain('{"type":"thinking","thinking":"a plan","signature":"c2ln"}')
    expect(back).toContain('{"type":"redacted_thinking","data":"b3BhcXVl"}')
    expect(back.split('c2ln')).toHaveLength(2)
    for (const body of bodies.slice(1, -1)) expect(body).not.toMatch(/b3BhcXVl|ENC|a plan/)
  })

  it('leaves the history of the session as the providers wrote it', () => {
    const answers = history.filter((message) => message.role === 'assistant')

    expect(answers).toHaveLength(6)
    expect(answers.map(({ blocks }) => textOf(blocks))).toEqual(Array.from({ length: 6 }, () => 'Reading.'))
    expect(answers[0]?.blocks[0]).toMatchObject({ type: 'thinking', seal: { format: 'anthropic', signature: 'c2ln' } })
  })
})
