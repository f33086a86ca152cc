import type { ChaosConfig, LLMock } from '@copilotkit/aimock'
import { textOf, userMessage } from '@looprig/core'
import { type InferenceClient, withRetry } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { mockKey, startMock } from '../../src/mock/mock-server.ts'
import { openSession, weatherTool } from '../../src/mock/open-session.ts'
import { type MockedProvider, mockedProviders } from '../../src/mock/providers.ts'
import { wholeClient } from '../../src/mock/whole-client.ts'

const ways = [
  { way: 'streamed', through: (client: InferenceClient) => client },
  { way: 'whole', through: wholeClient },
] as const

const cases = mockedProviders.flatMap((provider) => ways.map((each) => ({ ...each, ...provider })))

const longText = 'A text that is cut before its end. '.repeat(20)

/** The waits that a retry asked for, which nobody sits out. */
function impatient(client: InferenceClient, maxAttempts: number) {
  const waits: number[] = []
  const wait = async (ms: number) => {
    waits.push(ms)
  }
  return { waits, client: withRetry(client, { maxAttempts, baseDelayMs: 10, random: () => 0.5, wait }) }
}

describe.each(cases)('$name, $way', ({ name, connect, model, through }) => {
  const open = async (setUp: (mock: LLMock) => void, options: { key?: string; attempts?: number } = {}) => {
    const mock = await startMock()
    setUp(mock)
    const { tool, asked } = weatherTool()
    const { client, waits } = impatient(connect(mock.url, options.key ?? mockKey), options.attempts ?? 1)
    return { mock, asked, waits, ...(await openSession(through(client), model, { tools: [tool] })) }
  }

  it('takes a wrong key for what it is, and does not show it', async () => {
    const { mock, session, recording } = await open(() => {}, { key: 'not-the-key-of-the-mock', attempts: 3 })

    const { status, error } = await session.submit('Hello.').result()

    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'auth' })
    expect(JSON.stringify([error, recording.deliveries])).not.toContain('not-the-key-of-the-mock')
    expect(mock.getRequests()).toHaveLength(0) // refused at the door
  })

  it.each([
    { status: 400, code: 'invalid_request' },
    { status: 403, code: 'auth' },
    { status: 404, code: 'not_found' },
    { status: 429, code: 'rate_limited' },
    { status: 500, code: 'server_error' },
    { status: 503, code: 'overloaded' },
    { status: 529, code: 'overloaded' },
  ])('tells a status $status as $code', async ({ status, code }) => {
    const { mock, session } = await open((it) => it.onMessage('Hello.', { error: { message: 'No luck.' }, status }))

    const { error, ...result } = await session.submit('Hello.').result()

    expect({ status: result.status, code: error?.code }).toEqual({ status: 'failed', code })
    expect(mock.getRequests()).toHaveLength(1)
  })

  it.each([429, 500, 503])('tries again after a status %s, and answers', async (status) => {
    const { mock, session, waits } = await open(
      (it) => {
        it.onMessage('Hello.', { content: 'Hi.' })
        it.nextRequestError(status, { message: 'Not now.' })
      },
      { attempts: 3 },
    )

    const result = await session.submit('Hello.').result()

    expect({ status: result.status, text: result.text }).toEqual({ status: 'done', text: 'Hi.' })
    expect(mock.getRequests().map(({ response }) => response.status)).toEqual([status, 200])
    expect(waits).toEqual([status === 429 ? 1000 : 10])
  })

  it('waits as long as the server asks, and gives up after its attempts', async () => {
    const { mock, session, waits } = await open(
      (it) => it.onMessage('Hello.', { error: { message: 'Slow down.' }, status: 429, retryAfter: 7 }),
      { attempts: 3 },
    )

    const { error } = await session.submit('Hello.').result()

    expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('3 attempts') })
    expect({ waits, requests: mock.getRequests().length }).toEqual({ waits: [7000, 7000], requests: 3 })
  })

  it('does not wait for longer than it may', async () => {
    const { mock, session, waits } = await open(
      (it) => it.onMessage('Hello.', { error: { message: 'Tomorrow.' }, status: 429, retryAfter: 86_400 }),
      { attempts: 3 },
    )

    expect((await session.submit('Hello.').result()).error?.code).toBe('rate_limited')
    expect({ waits, requests: mock.getRequests().length }).toEqual({ waits: [], requests: 1 })
  })

  it('fails once a request has no answer, and works again when it has', async () => {
    const { mock, session } = await open(() => {})

    expect((await session.submit('Hello.').result()).error?.code).toBe('not_found')
    mock.onMessage('Hello again.', { content: 'Hi.' })
    expect((await session.submit('Hello again.').result()).text).toBe('Hi.')

    expect(session.history().map(({ role }) => role)).toEqual(['user', 'user', 'assistant'])
  })

  const broken = async (chaos: ChaosConfig) => {
    const { session } = await open((it) => it.onMessage('Hello.', { content: longText }, { chaos }))
    return session.submit('Hello.').result()
  }

  it('takes no body that is not JSON', async () => {
    expect(await broken({ malformedRate: 1 })).toMatchObject({ status: 'failed', error: { code: 'malformed' } })
  })

  it('tells a connection that ends before the answer', async () => {
    expect(await broken({ disconnectRate: 1 })).toMatchObject({ status: 'failed', error: { code: 'network' } })
  })

  it('says that the limit cut its answer', async () => {
    const mock = await startMock()
    mock.onMessage('Hello.', { content: 'Half of', finishReason: 'length' })

    const response = await through(connect(mock.url, mockKey))
      .stream({ model, messages: [userMessage('Hello.')] })
      .result()

    // the mock calls a response of this protocol incomplete, but not why it is
    expect(response.finishReason).toBe(name === 'OpenAI Responses' ? 'unknown' : 'length')
  })
})

/** Those whose calls the mock sends in pieces: a call of Gemini comes in one, with the end of the answer. */
const inPieces = mockedProviders.filter(({ name }) => name !== 'Gemini' && name !== 'Vertex AI')

describe.each(mockedProviders)('a stream of $name', (provider) => {
  const { connect, model } = provider

  it('that breaks off in a text fails the turn, keeps what came, and is not asked for again', async () => {
    const { mock, session, result } = await cut(provider, { content: longText }, 20)

    expect(result.status).toBe('failed')
    expect(['truncated', 'network']).toContain(result.error?.code)
    expect(mock.getRequests()).toHaveLength(1)
    expect(mock.getLastRequest()?.response).toMatchObject({ interrupted: true })
    const [said = '', notice] = textOf(session.history().at(-1)?.blocks ?? []).split('\n\n')
    expect(longText.startsWith(said)).toBe(true)
    expect(notice).toContain('cut off here')
  })

  it('that breaks off after its first event is told', async () => {
    const { result } = await cut(provider, { content: longText }, 1)

    expect(['truncated', 'network']).toContain(result.error?.code)
  })

  it('is interrupted by a person, and the next one is not', async () => {
    const mock = await startMock()
    mock.onMessage('Hello.', { content: longText }, { latency: 20 })
    mock.onMessage('Still there?', { content: 'Yes.' })
    const { session, recording } = await openSession(connect(mock.url, mockKey), model)
    const first = session.submit('Hello.')
    await recording.waitFor('TokenDelta')

    await session.interrupt()

    expect((await first.result()).status).toBe('interrupted')
    expect((await session.submit('Still there?').result()).text).toBe('Yes.')
  })
})

describe.each(inPieces)('a stream of $name', (provider) => {
  it('that breaks off in a call runs nothing', async () => {
    const toolCalls = [{ name: 'weather', arguments: { city: 'x'.repeat(300) } }]
    const { asked, result } = await cut(provider, { toolCalls }, 10)

    expect({ status: result.status, asked }).toEqual({ status: 'failed', asked: [] })
  })
})

/** Asks for an answer that the mock breaks off after some pieces. */
async function cut(
  { connect, model }: MockedProvider,
  response: Parameters<LLMock['on']>[1],
  truncateAfterChunks: number,
) {
  const mock = await startMock()
  // without a pause the mock takes back what it has not sent yet
  mock.on({}, response, { truncateAfterChunks, latency: 3 })
  const { tool, asked } = weatherTool()
  const { client } = impatient(connect(mock.url, mockKey), 3)
  const { session } = await openSession(client, model, { tools: [tool] })
  return { mock, asked, session, result: await session.submit('Hello.').result() }
}
