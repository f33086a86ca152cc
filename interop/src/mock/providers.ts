import type { InferenceClient, Model } from '@looprig/inference'
import { anthropicClient } from '@looprig/inference/anthropic'
import { bedrockClient } from '@looprig/inference/bedrock'
import { geminiClient } from '@looprig/inference/gemini'
import { chatProfiles, openAIChatClient } from '@looprig/inference/openai'
import { openAIResponsesClient } from '@looprig/inference/openai-responses'

/** A provider as the mock server plays it, and our client for it. */
export interface MockedProvider {
  readonly name: string
  /** A name that the mock takes for a model that can reason. */
  readonly model: Model
  /** Where the requests must arrive, streamed and whole. */
  readonly paths: { readonly stream: string; readonly whole: string }
  /** The header that must carry the key. */
  readonly keyHeader: string
  connect(url: string, apiKey: string): InferenceClient
}

const capabilities = { tools: true, structuredOutput: true } as const

function modelOf(provider: string, name: string): Model {
  return { provider, name, capabilities, limits: { windowTokens: 100_000, maxOutputTokens: 4000 } }
}

/** The same path, whichever way the answer comes. */
function at(path: string): MockedProvider['paths'] {
  return { stream: path, whole: path }
}

const googleModel = 'gemini-2.5-flash'
const vertex = '/v1/projects/p/locations/l/publishers/google'
const bedrockModel = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const bedrockPath = `/model/${encodeURIComponent(bedrockModel)}`

/** Every provider that the mock plays and that we have a protocol for. */
export const mockedProviders: readonly MockedProvider[] = [
  {
    name: 'Anthropic',
    model: modelOf('anthropic', 'claude-sonnet-4-5'),
    paths: at('/v1/messages'),
    keyHeader: 'x-api-key',
    connect: (url, apiKey) => anthropicClient({ baseUrl: `${url}/v1`, apiKey }),
  },
  {
    name: 'OpenAI Chat',
    model: modelOf('openai', 'gpt-5'),
    paths: at('/v1/chat/completions'),
    keyHeader: 'authorization',
    connect: (url, apiKey) => openAIChatClient({ baseUrl: `${url}/v1`, apiKey, profile: chatProfiles.openai }),
  },
  {
    name: 'OpenRouter',
    model: modelOf('openrouter', 'openai/gpt-5'),
    paths: at('/api/v1/chat/completions'),
    keyHeader: 'authorization',
    connect: (url, apiKey) => openAIChatClient({ baseUrl: `${url}/api/v1`, apiKey, profile: chatProfiles.openrouter }),
  },
  {
    name: 'Azure',
    model: modelOf('azure', 'gpt-5'),
    paths: at('/openai/deployments/gpt-5/chat/completions'),
    keyHeader: 'api-key',
    connect: (url, apiKey) =>
      openAIChatClient({
        baseUrl: `${url}/openai/deployments/gpt-5`,
        apiKey,
        keyHeader: 'api-key',
        profile: chatProfiles.azure,
      }),
  },
  {
    name: 'OpenAI Responses',
    model: modelOf('openai', 'gpt-5'),
    paths: at('/v1/responses'),
    keyHeader: 'authorization',
    connect: (url, apiKey) => openAIResponsesClient({ baseUrl: `${url}/v1`, apiKey }),
  },
  {
    name: 'Gemini',
    model: modelOf('google', googleModel),
    paths: {
      stream: `/v1beta/models/${googleModel}:streamGenerateContent?alt=sse`,
      whole: `/v1beta/models/${googleModel}:generateContent`,
    },
    keyHeader: 'x-goog-api-key',
    connect: (url, apiKey) => geminiClient({ baseUrl: `${url}/v1beta`, apiKey }),
  },
  {
    name: 'Vertex AI',
    model: modelOf('google', googleModel),
    paths: {
      stream: `${vertex}/models/${googleModel}:streamGenerateContent?alt=sse`,
      whole: `${vertex}/models/${googleModel}:generateContent`,
    },
    keyHeader: 'authorization',
    connect: (url, apiKey) => geminiClient({ baseUrl: `${url}${vertex}`, apiKey, keyHeader: 'bearer' }),
  },
  {
    name: 'Bedrock',
    model: modelOf('bedrock', bedrockModel),
    paths: { stream: `${bedrockPath}/converse-stream`, whole: `${bedrockPath}/converse` },
    keyHeader: 'authorization',
    connect: (url, apiKey) => bedrockClient({ region: 'eu-central-1', baseUrl: url, apiKey }),
  },
]
