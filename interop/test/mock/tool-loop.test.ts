import type { LLMock } from '@copilotkit/aimock'
import type { InferenceClient } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { mockKey, received, startMock } from '../../src/mock/mock-server.ts'
import { openSession, weatherTool } from '../../src/mock/open-session.ts'
import { mockedProviders } from '../../src/mock/providers.ts'
import { wholeClient } from '../../src/mock/whole-client.ts'

const ways = [
  { way: 'streamed', through: (client: InferenceClient) => client, mode: 'stream' },
  { way: 'whole', through: wholeClient, mode: 'whole' },
] as const

const cases = mockedProviders.flatMap((provider) => ways.map((each) => ({ ...each, ...provider })))

/** What the mock read of each message: who said it, and what. */
function read(mock: LLMock, request: number) {
  return received(mock)[request]?.messages.map(({ role, content, tool_calls = [] }) => ({
    role,
    content: content ?? '',
    calls: tool_calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]),
  }))
}

describe.each(cases)('$name, $way', ({ connect, model, through, paths, mode, keyHeader }) => {
  const open = async (setUp: (mock: LLMock) => void, options: Parameters<typeof startMock>[0] = {}) => {
    const mock = await startMock(options)
    setUp(mock)
    const { tool, asked } = weatherTool()
    const opened = await openSession(through(connect(mock.url, mockKey)), model, { tools: [tool] })
    return { mock, asked, ...opened }
  }

  it('answers', async () => {
    const { mock, session } = await open((it) => it.onMessage('Hello.', { content: 'Hello to you, 👩‍👩‍👧 — ünïcode.' }))

    const { status, text } = await session.submit('Hello.').result()

    expect({ status, text }).toEqual({ status: 'done', text: 'Hello to you, 👩‍👩‍👧 — ünïcode.' })
    expect(mock.getRequests().map(({ method, path }) => [method, path])).toEqual([['POST', paths[mode]]])
    expect(mock.getLastRequest()?.headers).toHaveProperty(keyHeader, '[REDACTED]')
    expect(read(mock, 0)).toEqual([
      { role: 'system', content: 'Be brief.', calls: [] },
      { role: 'user', content: 'Hello.', calls: [] },
    ])
  })

  it('offers its tools', async () => {
    const { mock, session } = await open((it) => it.onMessage('Hello.', { content: 'Hello.' }))

    await session.submit('Hello.').result()

    expect(received(mock)[0]?.tools).toMatchObject([
      {
        type: 'function',
        function: {
          name: 'weather',
          description: 'Tells the weather of a city.',
          parameters: { properties: { city: {} }, required: ['city'] },
        },
      },
    ])
  })

  it('runs the call that the model asks for and gives its result back', async () => {
    const { mock, session, asked } = await open((it) =>
      it
        .on({ hasToolResult: false }, { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] })
        .on({ toolResultContains: 'Rain in Oslo.' }, { content: 'It rains.' }),
    )

    const { status, text } = await session.submit('How is Oslo?').result()

    expect({ status, text, asked }).toEqual({ status: 'done', text: 'It rains.', asked: ['Oslo'] })
    expect(read(mock, 1)?.slice(1)).toEqual([
      { role: 'user', content: 'How is Oslo?', calls: [] },
      { role: 'assistant', content: '', calls: [['weather', { city: 'Oslo' }]] },
      { role: 'tool', content: expect.stringContaining('Rain in Oslo.'), calls: [] },
    ])
  })

  it('answers each of several calls under its own id, in their order', async () => {
    const cities = ['Oslo', 'Rome', 'Lima']
    const { mock, session, asked } = await open((it) =>
      it
        .on(
          { hasToolResult: false },
          { content: 'Let me look.', toolCalls: cities.map((city) => ({ name: 'weather', arguments: { city } })) },
        )
        .on({ hasToolResult: true }, { content: 'Rain everywhere.' }),
    )

    const { text } = await session.submit('How are they?').result()

    expect({ text, asked }).toEqual({ text: 'Rain everywhere.', asked: cities })
    const messages = received(mock)[1]?.messages ?? []
    const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))
    const results = messages.filter(({ role }) => role === 'tool')
    expect(new Set(ids).size).toBe(3)
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(ids)
    expect(results.map(({ content }) => String(content))).toEqual(
      cities.map((city) => expect.stringContaining(`Rain in ${city}.`)),
    )
    expect(messages.find(({ role }) => role === 'assistant')?.content).toBe('Let me look.')
  })

  it('goes on for several steps and several turns', async () => {
    const call = (city: string) => ({ toolCalls: [{ name: 'weather', arguments: { city } }] })
    const { mock, session, asked } = await open((it) =>
      it
        .on({ turnIndex: 0 }, call('Oslo'))
        .on({ turnIndex: 1 }, call('Rome'))
        .on({ turnIndex: 2 }, { content: 'Rain in both.' })
        .on({ turnIndex: 3 }, { content: 'As I said.' }),
    )

    expect((await session.submit('How are they?').result()).text).toBe('Rain in both.')
    expect((await session.submit('Really?').result()).text).toBe('As I said.')

    expect(asked).toEqual(['Oslo', 'Rome'])
    expect(read(mock, 3)?.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  it('sums up the usage of its steps', async () => {
    const usage = { input_tokens: 10, prompt_tokens: 10, output_tokens: 4, completion_tokens: 4, total_tokens: 14 }
    const { session } = await open((it) =>
      it
        .on({ hasToolResult: false }, { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }], usage })
        .on({ hasToolResult: true }, { content: 'It rains.', usage }),
    )

    const result = await session.submit('How is Oslo?').result()

    expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 8 })
  })

  it('never runs a call whose arguments are no object, and tells the model', async () => {
    const { session, asked } = await open((it) =>
      it
        .on({ hasToolResult: false }, { toolCalls: [{ name: 'weather', arguments: '["Oslo"]' }] })
        .on({ hasToolResult: true }, { content: 'My mistake.' }),
    )

    const { status, text } = await session.submit('How is Oslo?').result()

    expect({ status, text, asked }).toEqual({ status: 'done', text: 'My mistake.', asked: [] })
  })

  it('keeps what the model thought', async () => {
    const { session } = await open((it) => it.onMessage('Hello.', { content: 'Hi.', reasoning: 'They greet me.' }))

    await session.submit('Hello.').result()

    expect(session.history().at(-1)?.blocks).toMatchObject([
      { type: 'thinking', text: 'They greet me.' },
      { type: 'text', text: 'Hi.' },
    ])
  })
})
