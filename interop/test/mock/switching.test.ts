import { adaptTranscript, type InferenceClient, type Model, transcriptRules, type WireApi } from '@looprig/inference'
import { expect, it } from 'vitest'
import { mockKey, received, startMock } from '../../src/mock/mock-server.ts'
import { openSession, weatherTool } from '../../src/mock/open-session.ts'
import { type MockedProvider, mockedProviders } from '../../src/mock/providers.ts'

const route: readonly (readonly [name: string, api: WireApi, city: string])[] = [
  ['Anthropic', 'anthropic-messages', 'Oslo'],
  ['OpenAI Chat', 'openai-chat', 'Rome'],
  ['OpenAI Responses', 'openai-responses', 'Lima'],
  ['Gemini', 'gemini', 'Cairo'],
  ['Bedrock', 'bedrock-converse', 'Delhi'],
  ['Anthropic', 'anthropic-messages', 'Tokyo'],
]

function named(name: string): MockedProvider {
  const found = mockedProviders.find((provider) => provider.name === name)
  if (found === undefined) throw new Error(`there is no provider ${name}`)
  return found
}

/** The model of a provider, told from the others by the name of the provider. */
function modelOf(name: string): Model {
  return { ...named(name).model, provider: name }
}

/** A client of all providers of the route: each gets the history as it can take it. */
function clientOfAll(url: string): InferenceClient {
  const clients = new Map(route.map(([name, api]) => [name, { api, client: named(name).connect(url, mockKey) }]))
  return {
    stream: (request, options) => {
      const { provider, capabilities } = request.model
      const found = clients.get(provider)
      if (found === undefined) throw new Error(`nobody serves ${provider}`)
      const { messages } = adaptTranscript(request.messages, transcriptRules(found.api, capabilities))
      return found.client.stream({ ...request, messages }, options)
    },
    invoke: () => Promise.reject(new Error('a session streams')),
  }
}

it('keeps every text, call and result of a session that goes from provider to provider and back', async () => {
  const mock = await startMock()
  for (const [, , city] of route) {
    const asked = `How is ${city}?`
    mock.on({ userMessage: asked, hasToolResult: false }, { toolCalls: [{ name: 'weather', arguments: { city } }] })
    mock.on({ userMessage: asked, hasToolResult: true }, { content: `It rains in ${city}.`, reasoning: 'Hm.' })
  }
  const { tool, asked } = weatherTool()
  const { session } = await openSession(clientOfAll(mock.url), modelOf('Anthropic'), { tools: [tool] })

  for (const [name, , city] of route) {
    await session.setModel(modelOf(name))
    expect(await session.submit(`How is ${city}?`).result()).toMatchObject({
      status: 'done',
      text: `It rains in ${city}.`,
    })
  }

  const cities = route.map(([, , city]) => city)
  expect(asked).toEqual(cities)
  const last = received(mock).at(-1)?.messages ?? []
  const said = last.map(({ role, content, tool_calls: [call] = [] }) => [
    role,
    call === undefined ? content : JSON.parse(call.function.arguments),
  ])
  expect(said).toEqual([
    ['system', 'Be brief.'],
    ...cities.flatMap((city) => [
      ['user', `How is ${city}?`],
      ['assistant', { city }],
      ['tool', expect.stringContaining(`Rain in ${city}.`)],
      ...(city === 'Tokyo' ? [] : [['assistant', `It rains in ${city}.`]]),
    ]),
  ])
})
