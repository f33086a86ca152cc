import { inspect } from 'node:util'
import { createModel, type ModelPresetName, modelPresets } from '@looprig/inference'
import { chatProfiles } from '@looprig/inference/openai'
import { afterEach, describe, expect, it } from 'vitest'
import { json, type ProviderServer, startProvider } from '../support/provider-server.ts'
import { ask, failureOf } from '../support/requests.ts'

const presetNames = Object.keys(modelPresets) as ModelPresetName[] // proved: its own keys

let server: ProviderServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

/** What a preset needs besides a key. */
const extra = (name: ModelPresetName) => (name === 'bedrock' ? { region: 'eu-central-1' } : {})

describe('modelPresets', () => {
  it('holds the providers that have a preset', () => {
    expect(presetNames.sort()).toEqual([
      'anthropic',
      'bedrock',
      'deepseek',
      'gemini',
      'groq',
      'lmstudio',
      'mistral',
      'ollama',
      'openai',
      'openrouter',
      'vllm',
      'xai',
    ])
  })

  it.each(presetNames)('%s names its provider, a legal URL and the variable of its key', (name) => {
    const { provider, baseUrl, keyVariable } = modelPresets[name]

    expect(provider).toBe(name)
    if (baseUrl === undefined) expect(name).toBe('bedrock')
    else expect(baseUrl).toMatch(/^(?:https:\/\/|http:\/\/localhost:\d+\/).*[^/]$/)
    if (keyVariable === undefined) expect(baseUrl).toContain('localhost')
    else expect(keyVariable).toMatch(/^[A-Z][A-Z_]+$/)
  })

  it.each(presetNames)('%s has the profile of its name where it speaks Chat Completions', (name) => {
    const preset = modelPresets[name]
    if (preset.api === 'openai-chat') expect(chatProfiles).toHaveProperty(String(preset.profile))
    else expect(preset).not.toHaveProperty('profile')
  })
})

describe('createModel', () => {
  it.each([
    ['anthropic', '/v1/messages', 'x-api-key', 'k-0123456789'],
    ['openai', '/v1/responses', 'authorization', 'Bearer k-0123456789'],
    ['gemini', '/v1/models/any:generateContent', 'x-goog-api-key', 'k-0123456789'],
    ['bedrock', '/v1/model/any/converse', 'authorization', 'Bearer k-0123456789'],
    ['mistral', '/v1/chat/completions', 'authorization', 'Bearer k-0123456789'],
    ['ollama', '/v1/chat/completions', 'authorization', 'Bearer k-0123456789'],
  ] as const)('%s reaches %s with the key as %s', async (name, path, header, value) => {
    server = await startProvider(json(404, {}))
    const { client, model } = createModel(name, {
      model: 'any',
      apiKey: 'k-0123456789',
      baseUrl: server.baseUrl,
      ...extra(name),
    })

    const error = await failureOf(client.invoke(ask('Hi', { model })))

    expect(error.code).toBe('not_found')
    expect(server.requests[0]?.path).toBe(path)
    expect(server.requests[0]?.headers[header]).toBe(value)
  })

  it('streams with the first request and with those after it', async () => {
    server = await startProvider(json(500, {}))
    const { client, model } = createModel('vllm', { model: 'any', baseUrl: server.baseUrl })

    const first = await failureOf(client.stream(ask('Hi', { model })).result())
    const second = await failureOf(client.stream(ask('Hi', { model })).result())

    expect([first.code, second.code]).toEqual(['server_error', 'server_error'])
    expect(server.requests).toHaveLength(2)
  })

  it('sends what the profile of a preset says', async () => {
    server = await startProvider(json(500, {}))
    const preset = { ...modelPresets.openrouter, profile: { body: { transforms: ['none'] } } }
    const { client, model } = createModel(preset, { model: 'any', baseUrl: server.baseUrl })

    await failureOf(client.invoke(ask('Hi', { model })))

    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ transforms: ['none'] })
  })

  it.each([
    ['anthropic', 'claude-sonnet-4-5-20250929', { thinkingDialect: 'budget', structuredOutput: true }],
    ['anthropic', 'claude-opus-4-6', { thinkingDialect: 'adaptive', structuredOutput: true }],
    ['anthropic', 'claude-opus-4-20250514', { thinkingDialect: 'budget', promptCaching: true }],
    ['anthropic', 'claude-3-5-haiku-latest', { tools: true }],
    ['bedrock', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0', { tools: true, thinkingDialect: 'budget' }],
    ['openai', 'gpt-5-mini', { thinking: true, thinkingDialect: 'adaptive', structuredOutput: true }],
    ['openai', 'gpt-4.1-mini', { structuredOutput: true, images: true }],
    ['openai', 'o4-mini', { thinking: true }],
    ['gemini', 'gemini-2.5-flash', { thinkingDialect: 'budget', audio: true }],
    ['gemini', 'gemini-3-pro-preview', { thinkingDialect: 'adaptive' }],
    ['openrouter', 'anthropic/claude-sonnet-4.5', { thinkingDialect: 'budget', promptCaching: true }],
    ['deepseek', 'deepseek-reasoner', { tools: true, thinking: true }],
  ] as const)('of %s knows %s', (name, wireName, capabilities) => {
    const { model } = createModel(name, { model: wireName, apiKey: 'k', ...extra(name) })

    expect(model.capabilities).toMatchObject(capabilities)
  })

  it.each([
    ['anthropic', 'claude-9'],
    ['gemini', 'gemini-2.5-flash-image'],
    ['openai', 'gpt-4o-audio-preview'],
    ['ollama', 'llama3.3'],
    ['openrouter', 'someone/claude-sonnet-4-5'],
  ] as const)('of %s claims nothing for %s', (name, wireName) => {
    expect(createModel(name, { model: wireName, apiKey: 'k' }).model.capabilities).toEqual({})
  })

  it('lays what it is told over what is known, in a frozen model without secrets', () => {
    const { client, model } = createModel('openai', {
      model: 'gpt-4.1',
      apiKey: 'canary-0123456789',
      capabilities: { images: false },
      limits: { maxOutputTokens: 100 },
      sampling: { temperature: 0 },
    })

    expect(model).toMatchObject({ provider: 'openai', name: 'gpt-4.1', sampling: { temperature: 0 } })
    expect(model.capabilities).toMatchObject({ images: false, tools: true })
    expect(model.limits).toEqual({ windowTokens: 1_047_576, maxOutputTokens: 100 })
    expect(Object.isFrozen(model.capabilities)).toBe(true)
    expect(inspect({ client, model }, { depth: 9, showHidden: true })).not.toContain('canary')
  })

  it.each([
    ['anthropic', {}, /^apiKey: .*ANTHROPIC_API_KEY/],
    ['anthropic', { apiKey: 'two words' }, /^apiKey: /],
    ['anthropic', { apiKey: 'k', model: '' }, /^model: /],
    ['anthropic', { apiKey: 'k', region: 'eu-central-1' }, /^region: /],
    ['openai', { apiKey: 'k', baseUrl: 'http://example.test' }, /^baseUrl: /],
    ['openai', { apiKey: 'k', idleTimeoutMs: 0 }, /^idleTimeoutMs: /],
    ['bedrock', { apiKey: 'k' }, /^region: .*AWS_REGION/],
    ['bedrock', { region: 'eu-central-1' }, /^credentials: /],
  ] as const)('refuses for %s the options %j', (name, options, message) => {
    const act = () => createModel(name, { model: 'any', ...options })

    expect(act).toThrow(expect.objectContaining({ code: 'invalid_options' }))
    expect(act).toThrow(message)
  })

  it('names the presets when there is none of the name', () => {
    const name = 'constructor' as ModelPresetName // a name from outside

    expect(() => createModel(name, { model: 'any' })).toThrow(/^preset: .*anthropic, bedrock/)
  })
})
