import { createAnthropicCodec } from '@looprig/inference/anthropic'
import { createBedrockCodec } from '@looprig/inference/bedrock'
import { createGeminiCodec } from '@looprig/inference/gemini'
import { chatProfiles, createChatCodec } from '@looprig/inference/openai'
import { createResponsesCodec } from '@looprig/inference/openai-responses'
import { runCodecContract } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import type { WireCodec } from '../../src/codec/wire-codec.ts'
import { bedrockFixture, fixtureOf } from './contract-fixtures.ts'

const runner = { describe, it }
const anthropic = 'codec/anthropic-messages/fixtures'
const chat = 'fixtures/openai-chat'
const chatFixture = fixtureOf(chat, 'text')

runCodecContract(runner, {
  name: 'Anthropic Messages',
  open: () => createAnthropicCodec(),
  fixtures: [
    fixtureOf(anthropic, 'text'),
    fixtureOf(anthropic, 'thinking-tools'),
    fixtureOf(anthropic, 'server-tools'),
  ],
})

for (const [profile, options] of Object.entries(chatProfiles)) {
  runCodecContract(runner, {
    name: `Chat Completions with the profile ${profile}`,
    open: () => createChatCodec(options),
    fixtures: [chatFixture, fixtureOf(chat, 'reasoning-text-tools')],
  })
}

runCodecContract(runner, {
  name: 'OpenAI Responses',
  open: () => createResponsesCodec(),
  fixtures: [
    fixtureOf('codec/openai-responses/fixtures', 'reasoning-comment-calls'),
    fixtureOf('codec/openai-responses/fixtures', 'refusal'),
  ],
})

runCodecContract(runner, {
  name: 'Gemini',
  open: () => createGeminiCodec(),
  fixtures: [fixtureOf('codec/gemini/fixtures', 'thoughts-text'), fixtureOf('codec/gemini/fixtures', 'calls-with-ids')],
})

runCodecContract(runner, {
  name: 'Bedrock Converse',
  open: () => createBedrockCodec(),
  fixtures: [bedrockFixture],
})

/** The rules of the contract that a codec breaks. */
async function brokenRules(change: (codec: WireCodec) => Partial<WireCodec>): Promise<string[]> {
  const tests: [string, () => Promise<void>][] = []
  const collect = {
    describe: (_name: string, body: () => void) => body(),
    it: (name: string, body: () => Promise<void>) => tests.push([name, body]),
  }
  const open = () => {
    const codec = createChatCodec(chatProfiles.openai)
    return { ...codec, ...change(codec) }
  }
  runCodecContract(collect, { name: 'broken', open, fixtures: [chatFixture] })
  const broken: string[] = []
  for (const [name, body] of tests) await body().catch(() => broken.push(name.split(':')[0] ?? name))
  return broken
}

describe('runCodecContract', () => {
  it('finds nothing in a codec that keeps it', async () => {
    expect(await brokenRules(() => ({}))).toEqual([])
  })

  it.each<[string, (codec: WireCodec) => Partial<WireCodec>, string]>([
    [
      'takes a cut stream for a response',
      (codec) => ({
        openStream: (redact) => {
          const decoder = codec.openStream(redact)
          return {
            isDone: false,
            hasReason: true,
            decode: (frame, out) => decoder.decode(frame, out),
            end: (out) => {
              try {
                decoder.end(out)
              } catch {
                out.push({ type: 'finish', reason: 'stop' })
              }
            },
          }
        },
      }),
      'is truncated until it is complete, and never another response',
    ],
    [
      'skips a broken frame',
      (codec) => ({
        openStream: (redact) => {
          const decoder = codec.openStream(redact)
          return {
            isDone: false,
            hasReason: false,
            decode: (frame, out) => {
              if (!frame.includes('half')) decoder.decode(frame, out)
            },
            end: (out) => decoder.end(out),
          }
        },
      }),
      'gives what was whole before a frame that is broken',
    ],
    ['keeps the decoder of the last stream', keepingDecoder, 'leaves no state behind from one stream to the next'],
    [
      'loses the text of a whole response',
      (codec) => ({ decodeWhole: (text, redact) => codec.decodeWhole(text, redact).slice(-1) }),
      'decodes the same whole and streamed',
    ],
    [
      'sends private data of others',
      (codec) => ({
        encode: (request, mode) => ({ ...codec.encode(request, mode), body: JSON.stringify(request) }),
      }),
      'sends no private data of another protocol',
    ],
    [
      'sends whatever it is asked',
      (codec) => ({
        encode: (request, mode) => {
          const capabilities = { tools: true, images: true, structuredOutput: true }
          return codec.encode({ ...request, model: { ...request.model, capabilities } }, mode)
        },
      }),
      'refuses what the model has no capability for, naming the part',
    ],
    [
      'shows what the provider says',
      (codec) => ({ decodeError: (text, response) => codec.decodeError(text, response, (said) => said) }),
      'makes errors by status, of any body, with what the server asks and no secret',
    ],
  ])('finds a codec that %s', async (_what, change, rule) => {
    expect(await brokenRules(change)).toContain(rule)
  })
})

function keepingDecoder(codec: WireCodec): Partial<WireCodec> {
  let kept: ReturnType<WireCodec['openStream']> | undefined
  return {
    openStream: (redact) => {
      kept ??= codec.openStream(redact)
      return kept
    },
  }
}
