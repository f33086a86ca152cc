import { createGeminiCodec } from '@looprig/inference/gemini'
import { describe, expect, it } from 'vitest'
import { chunk, decodeStream, decodeWhole, sse } from './gemini.ts'

const exhausted = {
  error: {
    code: 429,
    message: 'You exceeded your current quota.',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
    ],
  },
}

describe('a Gemini error', () => {
  it.each([
    ['an object', exhausted],
    ['the first of a list', [exhausted]],
  ])('is read from %s, with the time to wait', async (_what, body) => {
    expect((await decodeWhole(body, 429)).error).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterMs: 34_400,
      status: 429,
      provider: { type: 'RESOURCE_EXHAUSTED', code: 429, message: 'You exceeded your current quota.' },
    })
  })

  it('waits as long as a header says, where there is one', () => {
    const error = createGeminiCodec().decodeError(
      JSON.stringify(exhausted),
      { status: 429, retryAfterMs: 5000 },
      (text) => text,
    )

    expect(error.retryAfterMs).toBe(5000)
  })

  it.each(['soon', '-1s', '1e9s', 5, '99999999999s'])('does not wait for %j', async (retryDelay) => {
    const body = { error: { code: 429, details: [{ retryDelay }] } }

    expect((await decodeWhole(body, 429)).error?.retryAfterMs).toBeUndefined()
  })

  it.each([
    [
      400,
      'INVALID_ARGUMENT',
      'The input token count exceeds the maximum number of tokens allowed.',
      'context_overflow',
    ],
    [400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', 'invalid_request'],
    [403, 'PERMISSION_DENIED', 'No', 'auth'],
    [404, 'NOT_FOUND', 'models/x is not found', 'not_found'],
    [500, 'INTERNAL', 'An internal error has occurred', 'server_error'],
    [503, 'UNAVAILABLE', 'The model is overloaded', 'overloaded'],
  ])('of status %i %s is known', async (status, word, message, code) => {
    const { error } = await decodeWhole({ error: { code: status, message, status: word } }, status)

    expect(error).toMatchObject({ code, status, provider: { type: word } })
  })

  it('says that the key is at fault, which the status does not', async () => {
    const details = [{ reason: 'API_KEY_INVALID', domain: 'googleapis.com' }]
    const body = { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details } }

    expect((await decodeWhole(body, 400)).error).toMatchObject({ code: 'auth', status: 400, retryable: false })
  })

  it.each(['', '<html>', '{"error"', '[]', '{"error":"Busy"}'])(
    'goes by the status where the body is %j',
    async (body) => {
      expect((await decodeWhole(body, 503)).error).toMatchObject({ code: 'overloaded', retryable: true })
    },
  )

  it.each([
    ['alone', sse(exhausted)],
    ['in a list', `data: ${JSON.stringify([exhausted])}\n\n`],
    ['after text', sse(chunk([{ text: 'Half' }]), exhausted)],
  ])('ends a stream of status 200: %s', async (_what, stream) => {
    const { error, response } = await decodeStream(stream)

    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 34_400 })
    expect(response.finish).toBeUndefined()
  })

  it('is none where it is null', async () => {
    expect((await decodeStream(sse({ error: null }, chunk([], 'STOP')))).error).toBeUndefined()
  })
})
