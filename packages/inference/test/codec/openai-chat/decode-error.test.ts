import { createChatCodec } from '@looprig/inference/openai'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/failure/provider-text.ts'
import { foldText, foldWhole } from '../../support/chat-fixtures.ts'

const redact = createRedactor(['sk-canary-123456'])
const decode = (status: number, body: unknown) =>
  createChatCodec().decodeError(typeof body === 'string' ? body : JSON.stringify(body), { status }, redact)

describe('an error response', () => {
  it('keeps what the provider said, in its own words', () => {
    const error = decode(400, {
      error: { type: 'invalid_request_error', code: 'unsupported_parameter', message: 'No.' },
    })

    expect(error.provider).toEqual({ type: 'invalid_request_error', code: 'unsupported_parameter', message: 'No.' })
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, retryable: false })
  })

  it.each<[string, unknown, string]>([
    ['a text', { error: 'model is loading' }, 'model is loading'],
    ['an object', { error: { message: 'slow down' } }, 'slow down'],
    ['an object in a list', [{ error: { message: 'slow down' } }], 'slow down'],
    ['a bare object', { object: 'error', message: 'bad' }, 'bad'],
    ['a detail', { detail: 'Not Found' }, 'Not Found'],
    [
      'a list of details',
      { detail: [{ loc: ['body'], msg: 'Field required' }, { msg: 'Extra' }] },
      'Field required; Extra',
    ],
    ['details in a message', { message: { detail: [{ msg: 'Extra inputs' }] } }, 'Extra inputs'],
    ['no JSON', 'upstream connect error', 'upstream connect error'],
  ])('may be %s', (_what, body, message) => {
    expect(decode(400, body).provider?.message).toBe(message)
  })

  it('says why the server behind a router refused', () => {
    const error = decode(400, {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: { raw: '{"error":{"message":"prompt is too long: 3 > 2"}}' },
      },
    })

    expect(error.code).toBe('context_overflow')
    expect(error.message).toContain('prompt is too long')
    expect(error.provider?.message).toBe('Provider returned error')
  })

  it('holds no secret in any part of it', () => {
    const said = 'key sk-canary-123456 is wrong'

    const error = decode(401, { error: { message: said, code: said, type: said, metadata: { raw: said } } })

    expect(JSON.stringify([error, error.message, error.provider, error.stack])).not.toContain('canary')
  })
})

describe('an error inside a success', () => {
  it.each([
    ['a whole response', foldWhole('{"error":{"code":503,"message":"busy"}}')],
    ['a choice', foldWhole('{"choices":[{"error":{"code":503,"message":"busy"},"message":{"content":""}}]}')],
    ['a frame', foldText('data: {"error":{"code":503,"message":"busy"}}\n\n')],
    ['a choice of a frame', foldText('data: {"choices":[{"error":{"code":503},"delta":{"content":""}}]}\n\n')],
    [
      'a frame after the reason',
      foldText('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: {"error":{"code":503}}\n\n'),
    ],
  ])('fails %s', (_where, { error, response }) => {
    expect(error).toBe('overloaded')
    expect(response.finish).toBeUndefined()
  })
})
