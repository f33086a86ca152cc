import { describe, expect, it } from 'vitest'
import { chooseServer, connectModel } from '../src/choose-model.ts'

const key = 'sk-SENTINEL'

describe('chooseServer', () => {
  it('chooses nothing without a flag, a key or a server', () => {
    expect(chooseServer({}, {})).toBeUndefined()
    expect(chooseServer({}, { OPENAI_API_KEY: '' })).toBeUndefined()
  })

  it('prefers --model to a key in the environment', () => {
    const env = { OPENAI_API_KEY: key, MISTRAL_API_KEY: 'm' }

    expect(chooseServer({ model: 'mistral/mistral-small-latest' }, env)).toEqual({
      provider: 'mistral',
      name: 'mistral-small-latest',
      baseUrl: 'https://api.mistral.ai/v1',
      apiKey: 'm',
    })
  })

  it('takes OpenAI when there is a key', () => {
    expect(chooseServer({}, { OPENAI_API_KEY: key })).toEqual({
      provider: 'openai',
      name: 'gpt-4.1-mini',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: key,
    })
  })

  it('lets OPENAI_BASE_URL move OpenAI, and --base-url before it', () => {
    const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: 'https://proxy.example/v1' }

    expect(chooseServer({}, env)?.baseUrl).toBe('https://proxy.example/v1')
    expect(chooseServer({ baseUrl: 'http://localhost:1/v1' }, env)?.baseUrl).toBe('http://localhost:1/v1')
  })

  it('takes a server by --base-url alone, without a key', () => {
    expect(chooseServer({ baseUrl: 'http://localhost:8080/v1' }, { GROQ_API_KEY: key })).toEqual({
      provider: 'local',
      baseUrl: 'http://localhost:8080/v1',
    })
  })

  it('keeps further slashes in the name', () => {
    const server = chooseServer({ model: 'openrouter/qwen/qwen3-coder' }, { OPENROUTER_API_KEY: key })

    expect(server).toMatchObject({ provider: 'openrouter', name: 'qwen/qwen3-coder' })
  })

  it('takes any provider with --base-url and gives it no key of another', () => {
    const server = chooseServer({ model: 'mine/m', baseUrl: 'https://h.example/v1' }, { OPENAI_API_KEY: key })

    expect(server).toEqual({ provider: 'mine', name: 'm', baseUrl: 'https://h.example/v1' })
  })

  it('needs no key for local servers', () => {
    expect(chooseServer({ model: 'ollama/qwen3' }, {})).toEqual({
      provider: 'ollama',
      name: 'qwen3',
      baseUrl: 'http://127.0.0.1:11434/v1',
    })
  })

  it.each([
    [{ model: 'openai/gpt-4.1' }, {}, /set OPENAI_API_KEY, or name a server with --base-url$/],
    [{ model: 'groq/x' }, { OPENAI_API_KEY: key }, /set GROQ_API_KEY/],
    [{ model: 'nobody/x' }, { OPENAI_API_KEY: key }, /^--model: unknown provider; known are openai, /],
    [{ model: 'gpt-4.1' }, { OPENAI_API_KEY: key }, /^--model: expected PROVIDER\/NAME/],
    [{ model: 'openai/' }, { OPENAI_API_KEY: key }, /^--model: expected PROVIDER\/NAME/],
    [{ baseUrl: 'localhost:1234' }, {}, /^--base-url: expected a URL/],
    [{ baseUrl: `https://u:${key}@h.example` }, {}, /^--base-url: expected no user name or password/],
    [{}, { OPENAI_API_KEY: key, OPENAI_BASE_URL: `ftp://${key}` }, /^OPENAI_BASE_URL: expected a URL/],
  ])('refuses %j', (options, env, message) => {
    expect(() => chooseServer(options, env)).toThrow(message)
    expect(() => chooseServer(options, env)).not.toThrow(key)
  })
})

describe('connectModel', () => {
  it('says that the offline guide is not a language model', async () => {
    const { model, notice } = await connectModel({}, {})

    expect(model.provider).toBe('looprig')
    expect(notice).toMatch(/not a language model/)
  })

  it('keeps a key off plain http to another machine', async () => {
    const connecting = connectModel({ model: 'openai/m', baseUrl: 'http://h.example/v1' }, { OPENAI_API_KEY: key })

    await expect(connecting).rejects.toThrow(/^the model's server: baseUrl: expected https/)
  })
})
