import { inspect } from 'node:util'
import { textOf } from '@looprig/core'
import { InferenceError, type InferenceRequest } from '@looprig/inference'
import { type AwsCredentials, type BedrockOptions, bedrockClient } from '@looprig/inference/bedrock'
import { afterEach, describe, expect, it } from 'vitest'
import { type Answer, json, type ProviderServer, startProvider } from '../../support/provider-server.ts'
import { ask, failureOf } from '../../support/requests.ts'
import { begin, ended, exceptionBytes, full, streamOf, text, usage } from './decoded.ts'
import { isSignedBy } from './verify-signature.ts'

const keys = {
  accessKeyId: 'AKIDSENTINEL0123',
  secretAccessKey: 'secret/sentinel+0123456789',
  sessionToken: 'token/sentinel==',
}
const region = 'eu-central-1'
let server: ProviderServer

afterEach(() => server?.close())

const start = async (...answers: [Answer, ...Answer[]]): Promise<void> => {
  server = await startProvider(...answers)
}

const client = (options: Partial<BedrockOptions> = { credentials: keys }) =>
  bedrockClient({ region, baseUrl: server.baseUrl.replace('/v1', ''), ...options })

const request = (parts: Partial<InferenceRequest> = {}): InferenceRequest =>
  ask('Hi', { model: { provider: 'bedrock', name: 'eu.wren-4-v1:0' }, ...parts })

const binary =
  (bytes: Uint8Array): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' }).end(bytes)

describe('bedrockClient', () => {
  it('gets the same response whole and streamed', async () => {
    await start(json(200, full.whole), binary(full.stream))

    const whole = await client().invoke(request())
    const stream = client().stream(request())
    let events = 0
    for await (const _ of stream) events += 1

    expect(events).toBeGreaterThan(10)
    expect(await stream.result()).toEqual(whole)
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/model/eu.wren-4-v1%3A0/converse',
      '/model/eu.wren-4-v1%3A0/converse-stream',
    ])
  })

  it('signs each request, its body and the token of the session too', async () => {
    await start(binary(full.stream))

    await client()
      .stream(request({ system: 'Grüße 👋🏽' }))
      .result()

    const [sent] = server.requests
    expect(sent?.headers.authorization).toContain('/eu-central-1/bedrock/aws4_request')
    expect(sent?.headers.authorization).toMatch(/SignedHeaders=[^,]*host[^,]*x-amz-security-token/)
    expect(sent?.headers['x-amz-security-token']).toBe(keys.sessionToken)
    expect(sent !== undefined && isSignedBy(sent, keys.secretAccessKey)).toBe(true)
    expect(sent !== undefined && isSignedBy({ ...sent, body: `${sent.body} ` }, keys.secretAccessKey)).toBe(false)
    expect(JSON.stringify(sent)).not.toContain(keys.secretAccessKey)
  })

  it('asks a provider of credentials for every request', async () => {
    await start(binary(full.stream))
    let asked = 0
    const credentials = () => {
      asked += 1
      return Promise.resolve({ accessKeyId: `AKID${asked}`, secretAccessKey: `secret-number-${asked}` })
    }
    const renewing = client({ credentials })

    await renewing.stream(request()).result()
    await renewing.stream(request()).result()

    const [first, second] = server.requests
    expect(first !== undefined && isSignedBy(first, 'secret-number-1')).toBe(true)
    expect(second !== undefined && isSignedBy(second, 'secret-number-2')).toBe(true)
    expect(second?.headers.authorization).toContain('Credential=AKID2/')
    expect(second?.headers).not.toHaveProperty('x-amz-security-token')
  })

  it('does not wait for a provider of credentials after an abort, and hands it the signal', async () => {
    await start(binary(full.stream))
    const controller = new AbortController()
    let given: AbortSignal | undefined
    const credentials = ({ signal }: { signal: AbortSignal }) => {
      given = signal
      controller.abort()
      return new Promise<AwsCredentials>(() => {})
    }

    const stream = client({ credentials }).stream(request(), { signal: controller.signal })
    const error = await failureOf(stream.result())

    expect(error.code).toBe('aborted')
    expect(given?.aborted).toBe(true)
    expect(server.requests).toEqual([])
  })

  it('sends an API key as a bearer token and signs nothing then', async () => {
    await start(binary(full.stream))

    await client({ apiKey: 'bedrock-api-key-abc' }).stream(request()).result()

    expect(server.requests[0]?.headers.authorization).toBe('Bearer bedrock-api-key-abc')
    expect(server.requests[0]?.headers).not.toHaveProperty('x-amz-date')
  })

  it('keeps an answer whose connection broke after messageStop', async () => {
    await start((response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
      response.write(streamOf(begin, text(0, 'Whole'), ended('end_turn')))
      response.socket?.end()
    })

    expect(textOf((await client().stream(request()).result()).message.blocks)).toBe('Whole')
  })

  it('reports an exception inside the stream, and a stream that is cut', async () => {
    await start(
      binary(streamOf(begin, text(0, 'Hel'), exceptionBytes('throttlingException', 'slow down'))),
      binary(streamOf(begin, text(0, 'Hel'), usage)),
    )

    expect(await failureOf(client().stream(request()).result())).toMatchObject({
      code: 'rate_limited',
      retryable: true,
    })
    expect(await failureOf(client().stream(request()).result())).toMatchObject({ code: 'truncated', retryable: true })
  })

  it('reports a failure by its exception, with what the server asks to wait', async () => {
    const headers = { 'retry-after': '3', 'x-amzn-errortype': 'ThrottlingException:http://internal.example/' }
    await start(json(429, { message: 'Too many requests' }, headers))

    expect(await failureOf(client().invoke(request()))).toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfterMs: 3000,
      provider: { type: 'ThrottlingException', message: 'Too many requests' },
    })
  })

  it('never shows a credential, also one that came later, in errors or in itself', async () => {
    const said = `expected ${keys.sessionToken} by ${keys.accessKeyId} with ${keys.secretAccessKey}`
    await start(json(403, { message: said }), binary(streamOf(begin, exceptionBytes('validationException', said))))
    const shown = client({ credentials: () => Promise.resolve(keys) })

    const errors = [await failureOf(shown.invoke(request())), await failureOf(shown.stream(request()).result())]

    const prints = [...errors, shown, client()].map((value) =>
      inspect(value, { depth: 9, showHidden: true, getters: true }),
    )
    for (const secret of Object.values(keys)) expect(prints.join()).not.toContain(secret)
    expect(errors.map(({ code }) => code)).toEqual(['auth', 'invalid_request'])
  })

  it.each<[string, () => Promise<typeof keys>, string]>([
    ['fails', () => Promise.reject(new Error('no file /home/me/.aws')), 'auth'],
    ['gives nothing', () => Promise.resolve({ ...keys, secretAccessKey: '' }), 'auth'],
    ['says itself why', () => Promise.reject(new InferenceError('network', 'unreachable')), 'network'],
  ])('sends nothing when the provider of credentials %s', async (_what, credentials, code) => {
    await start(binary(full.stream))

    const error = await failureOf(client({ credentials }).stream(request()).result())

    expect(error.code).toBe(code)
    expect(inspect(error, { depth: 9 })).not.toContain('/home/me')
    expect(server.requests).toHaveLength(0)
  })

  it.each<[Partial<BedrockOptions>, string]>([
    [{ credentials: keys, region: 'evil.example/' }, 'region'],
    [{}, 'credentials'],
    [{ credentials: keys, apiKey: 'k' }, 'credentials'],
    [{ credentials: { ...keys, accessKeyId: '' } }, 'credentials.accessKeyId'],
    [{ credentials: { ...keys, secretAccessKey: 'a b' } }, 'credentials.secretAccessKey'],
    [{ credentials: { ...keys, sessionToken: 'a\n' } }, 'credentials.sessionToken'],
  ])('refuses %o by its name and never by its value', (options, field) => {
    const act = () => bedrockClient({ region, ...options })

    expect(act).toThrow(expect.objectContaining({ code: 'invalid_options' }))
    expect(act).toThrow(new RegExp(`^${field}: `))
    for (const secret of Object.values(keys)) expect(act).not.toThrow(new RegExp(secret.replace(/[+/]/g, '.')))
  })
})
