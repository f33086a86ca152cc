import { inspect } from 'node:util'
import { textBlock, textOf, userMessage } from '@looprig/core'
import { withRetry } from '@looprig/inference'
import { openAIResponsesClient } from '@looprig/inference/openai-responses'
import { afterEach, describe, expect, it } from 'vitest'
import { ableModel, assistant, toolResult } from '../../support/encode-chat.ts'
import {
  type Answer,
  events,
  json,
  openStream,
  type ProviderServer,
  startProvider,
} from '../../support/provider-server.ts'
import { ask, failureOf } from '../../support/requests.ts'
import { completed, fixtureText } from './responses.ts'

const apiKey = 'sk-sentinel-0123456789abcdef'
let server: ProviderServer

afterEach(() => server.close())

async function start(...answers: [Answer, ...Answer[]]): Promise<void> {
  server = await startProvider(...answers)
}

const client = (options: Partial<Parameters<typeof openAIResponsesClient>[0]> = {}) =>
  openAIResponsesClient({ baseUrl: server.baseUrl, apiKey, ...options })

const stream =
  (name: string): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(fixtureText(`${name}.sse`))

const whole = (name: string): Answer => json(200, JSON.parse(fixtureText(`${name}.json`)))

const bodyOf = (at: number): Record<string, unknown> => JSON.parse(server.requests[at]?.body ?? '{}')

const message = { type: 'message', content: [{ type: 'output_text', text: 'Forty-two.' }] }

describe('openAIResponsesClient', () => {
  it('runs a tool loop, the next request holding everything of the last answer', async () => {
    await start(stream('reasoning-comment-calls'), stream('rotating-ids'))
    const shared = client()
    const messages = [userMessage('Compare a.txt and b.txt')]
    const tools = [{ name: 'ReadFile', description: 'Reads.', inputSchema: { type: 'object' } }]

    const first = await shared.stream({ model: ableModel, messages, tools }).result()
    const results = first.toolCalls.map(({ toolUseId }) => toolResult(toolUseId, textBlock(`of ${toolUseId}`)))
    const next = [...messages, first.message, ...results]
    const last = await shared.stream({ model: ableModel, messages: next, tools }).result()

    expect(textOf(last.message.blocks)).toBe('2')
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/responses'])
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`)
    expect(bodyOf(1)).toMatchObject({
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      input: [
        { role: 'user' },
        { type: 'reasoning', encrypted_content: 'ENC-1' },
        { role: 'assistant', phase: 'commentary' },
        { type: 'function_call', call_id: 'call_a' },
        { type: 'function_call', call_id: 'call_b' },
        { type: 'function_call_output', call_id: 'call_a', output: 'of call_a' },
        { type: 'function_call_output', call_id: 'call_b', output: 'of call_b' },
      ],
    })
  })

  it('gets the same response whole as by stream', async () => {
    await start(whole('reasoning-comment-calls'), stream('reasoning-comment-calls'))

    expect(await client().invoke(ask())).toEqual(await client().stream(ask()).result())
    expect(bodyOf(0)).not.toHaveProperty('stream')
  })

  it('takes a whole response from a server that does not stream', async () => {
    await start(json(200, { status: 'completed', output: [message] }))

    expect(textOf((await client().stream(ask()).result()).message.blocks)).toBe('Forty-two.')
  })

  it('ends with the last event even when the server leaves the connection open', async () => {
    await start((response) => openStream(response, JSON.stringify(completed([message]))))

    expect(textOf((await client().stream(ask()).result()).message.blocks)).toBe('Forty-two.')
  })

  it('takes a last event that repeats instructions of some megabytes', async () => {
    const last = { type: 'response.completed', response: { status: 'completed', instructions: 'x'.repeat(4_000_000) } }
    await start(events(JSON.stringify(last)))

    expect((await client().stream(ask()).result()).finishReason).toBe('stop')
  })

  it('never takes a response that is not over for one that is', async () => {
    await start(json(200, { status: 'queued', output: [] }), events(JSON.stringify({ type: 'response.in_progress' })))

    expect(await failureOf(client().invoke(ask()))).toMatchObject({ code: 'truncated' })
    expect(await failureOf(client().stream(ask()).result())).toMatchObject({ code: 'truncated', retryable: true })
  })

  it('sends a key where Azure wants it, below a base with a query', async () => {
    await start(json(200, { status: 'completed', output: [] }))

    await client({ keyHeader: 'api-key', baseUrl: `${server.baseUrl}/openai?api-version=7` }).invoke(ask())

    expect(server.requests[0]).toMatchObject({ path: '/v1/openai/responses?api-version=7' })
    expect(server.requests[0]?.headers).toMatchObject({ 'api-key': apiKey })
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it('repeats a request whose stream failed before anything came, and none that failed later', async () => {
    const overloaded = JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Busy' } })
    const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Half' }
    await start(
      events(overloaded),
      events(JSON.stringify(completed([message]))),
      events(JSON.stringify(delta), overloaded),
    )
    const patient = withRetry(client(), { wait: () => Promise.resolve() })

    expect(textOf((await patient.stream(ask()).result()).message.blocks)).toBe('Forty-two.')
    expect(await failureOf(patient.stream(ask()).result())).toMatchObject({ code: 'overloaded' })
    expect(server.requests).toHaveLength(3)
  })

  it('says what is wrong with a request that the provider refuses', async () => {
    await start(json(400, { error: { message: 'Input too long', code: 'context_length_exceeded' } }))

    expect(await failureOf(client().invoke(ask()))).toMatchObject({ code: 'context_overflow', status: 400 })
  })

  it('shows no secret in an error of a stream', async () => {
    const header = 'header-sentinel-42'
    await start(events(JSON.stringify({ type: 'error', error: { message: `${apiKey} ${header}`, code: apiKey } })))

    const error = await failureOf(
      client({ headers: { 'x-key': header } })
        .stream(ask())
        .result(),
    )

    const shown = [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error), error.stack].join()
    for (const secret of [apiKey, header, '127.0.0.1']) expect(shown).not.toContain(secret)
  })
})

describe('openAIResponsesClient and reasoning that the provider does not know again', () => {
  const state = { format: 'openai-responses', data: { id: 'rs_1', encrypted_content: 'STALE' } } as const
  const history = [
    userMessage('Go'),
    assistant({ type: 'thinking', text: 'Hm', state }, textBlock('So')),
    userMessage('On'),
  ]
  const stale = json(400, { error: { code: 'invalid_encrypted_content', message: 'Could not be verified.' } })

  it('sends the request once more without it', async () => {
    await start(stale, events(JSON.stringify(completed([message]))))

    const { message: answer } = await client().stream({ model: ableModel, messages: history }).result()

    expect(textOf(answer.blocks)).toBe('Forty-two.')
    expect(server.requests[0]?.body).toContain('STALE')
    expect(bodyOf(1).input).toEqual([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'So' },
      { role: 'user', content: 'On' },
    ])
  })

  it('does so once only, and not for a history without any', async () => {
    await start(stale)

    const error = await failureOf(client().invoke({ model: ableModel, messages: history }))
    const other = await failureOf(client().invoke(ask()))

    expect(error).toMatchObject({ code: 'invalid_request', status: 400 })
    expect(other).toMatchObject({ code: 'invalid_request', status: 400 })
    expect(server.requests).toHaveLength(3)
  })

  it('does not do so for another fault', async () => {
    await start(json(400, { error: { message: "Invalid 'temperature'" } }))

    await failureOf(client().invoke({ model: ableModel, messages: history }))

    expect(server.requests).toHaveLength(1)
  })
})
