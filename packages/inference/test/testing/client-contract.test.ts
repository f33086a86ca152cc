import { userMessage } from '@looprig/core'
import { createInferenceStream, createModel, type InferenceClient, tokenEstimator, withRetry } from '@looprig/inference'
import { anthropicClient } from '@looprig/inference/anthropic'
import { bedrockClient } from '@looprig/inference/bedrock'
import { geminiClient } from '@looprig/inference/gemini'
import { openAIChatClient } from '@looprig/inference/openai'
import { openAIResponsesClient } from '@looprig/inference/openai-responses'
import {
  type ClientContractSubject,
  type ClientContractWorld,
  type CodecFixture,
  type RecordedExchange,
  recordingClient,
  replayClient,
  requestDigest,
  runClientContract,
  scriptedClient,
} from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { startProvider } from '../support/provider-server.ts'
import { bedrockFixture, fixtureOf } from './contract-fixtures.ts'

const runner = { describe, it }

const scripted = () => scriptedClient(Array.from({ length: 9 }, () => ({ text: 'Good day' })))

/** A world around the scripted client. */
function around(wrap: (client: InferenceClient) => InferenceClient): () => ClientContractWorld {
  return () => {
    const inner = scripted()
    return { client: wrap(inner), sent: () => inner.requests.length }
  }
}

runClientContract(runner, { name: 'scriptedClient', open: around((client) => client) })
runClientContract(runner, { name: 'withRetry', open: around((client) => withRetry(client)) })
runClientContract(runner, { name: 'recordingClient', open: around((client) => recordingClient(client, () => {})) })
runClientContract(runner, { name: 'tokenEstimator', open: around((client) => tokenEstimator().learningFrom(client)) })

runClientContract(runner, {
  name: 'replayClient',
  open: async () => {
    const request = { model: { provider: 'contract', name: 'any' }, messages: [userMessage('Hi')] }
    const recorded: RecordedExchange[] = []
    await recordingClient(scripted(), (exchange) => {
      recorded.push(exchange)
    }).invoke(request)
    expect(recorded[0]?.request).toBe(requestDigest(request))
    const replay = replayClient(Array.from({ length: 9 }, () => recorded).flat())
    return { client: replay, request, sent: () => 9 - replay.remaining }
  },
})

/** A real server that answers as a provider does, in the form that it is asked for. */
function served(
  name: string,
  fixture: CodecFixture,
  make: (baseUrl: string) => InferenceClient,
): ClientContractSubject {
  return {
    name,
    open: async () => {
      const server = await startProvider((response) => {
        const { path, body } = server.requests.at(-1) ?? { path: '', body: '' }
        const isStream = /stream/i.test(path) || /"stream":true/.test(body)
        const type = typeof fixture.stream === 'string' ? 'text/event-stream' : 'application/vnd.amazon.eventstream'
        response.writeHead(200, { 'content-type': isStream ? type : 'application/json' })
        response.end(isStream ? fixture.stream : fixture.whole)
      })
      return { client: make(server.baseUrl), sent: () => server.requests.length, close: () => server.close() }
    },
  }
}

const anthropic = fixtureOf('codec/anthropic-messages/fixtures', 'text')
const responses = fixtureOf('codec/openai-responses/fixtures', 'reasoning-comment-calls')
const gemini = fixtureOf('codec/gemini/fixtures', 'thoughts-text')
const chat = fixtureOf('fixtures/openai-chat', 'reasoning-text-tools')

for (const subject of [
  served('anthropicClient', anthropic, (baseUrl) => anthropicClient({ baseUrl })),
  served('openAIChatClient', chat, (baseUrl) => openAIChatClient({ baseUrl })),
  served('openAIResponsesClient', responses, (baseUrl) => openAIResponsesClient({ baseUrl })),
  served('geminiClient', gemini, (baseUrl) => geminiClient({ baseUrl })),
  served('bedrockClient', bedrockFixture, (baseUrl) =>
    bedrockClient({ baseUrl, region: 'eu-central-1', apiKey: 'k-0123456789' }),
  ),
  served('createModel', chat, (baseUrl) => createModel('vllm', { model: 'any', baseUrl }).client),
]) {
  runClientContract(runner, subject)
}

/** The rules of the contract that a client breaks. */
async function brokenRules(wrap: (client: InferenceClient) => InferenceClient): Promise<string[]> {
  const tests: [string, () => Promise<void>][] = []
  const collect = {
    describe: (_name: string, body: () => void) => body(),
    it: (name: string, body: () => Promise<void>) => tests.push([name, body]),
  }
  runClientContract(collect, { name: 'broken', open: around(wrap) })
  const broken: string[] = []
  for (const [name, body] of tests) await body().catch(() => broken.push(name))
  return broken
}

describe('runClientContract', () => {
  it('finds nothing in a client that keeps it', async () => {
    expect(await brokenRules((client) => client)).toEqual([])
  })

  it.each<[string, (client: InferenceClient) => InferenceClient, string]>([
    [
      'sends before anybody reads',
      (client) => ({
        ...client,
        stream: (request, options) => {
          const begun = client.invoke(request)
          return createInferenceStream(async function* () {
            await begun
            yield* client.stream(request, options)
          }, options?.signal)
        },
      }),
      'sends nothing before a stream is read',
    ],
    [
      'does not know an abort',
      (client) => ({
        stream: (request) => client.stream(request),
        invoke: (request) => client.invoke(request),
      }),
      'sends nothing for a signal that is aborted, and fails as aborted',
    ],
    [
      'reads a stream again',
      (client) => ({
        ...client,
        stream: (request, options) => {
          const first = client.stream(request, options)
          return {
            [Symbol.asyncIterator]: () => client.stream(request, options)[Symbol.asyncIterator](),
            result: () => first.result(),
          }
        },
      }),
      'lets a stream be read once',
    ],
    [
      'says another thing when it is asked for all at once',
      (client) => ({ ...client, invoke: () => scriptedClient([{ text: 'Other' }]).invoke({ ...other }) }),
      'gives the same response streamed, drained and whole',
    ],
  ])('finds a client that %s', async (_what, wrap, rule) => {
    expect(await brokenRules(wrap)).toContain(rule)
  })
})

const other = { model: { provider: 'contract', name: 'any' }, messages: [userMessage('Hi')] }
