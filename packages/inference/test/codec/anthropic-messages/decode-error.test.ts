import { describe, expect, it } from 'vitest'
import { decodeWhole } from './decoded.ts'

const body = (type: string, message: string): string => JSON.stringify({ type: 'error', error: { type, message } })

describe('decodeErrorResponse of Anthropic Messages', () => {
  it.each([
    [
      400,
      body('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      'context_overflow',
      false,
    ],
    [
      400,
      body('invalid_request_error', 'input length and `max_tokens` exceed context limit: 9 + 9 > 10'),
      'context_overflow',
      false,
    ],
    [400, body('invalid_request_error', 'Your credit balance is too low to access the API.'), 'quota', false],
    [400, body('invalid_request_error', 'messages: text content blocks must be non-empty'), 'invalid_request', false],
    [401, body('authentication_error', 'invalid x-api-key'), 'auth', false],
    [402, body('billing_error', 'pay'), 'quota', false],
    [403, body('permission_error', 'no'), 'auth', false],
    [404, body('not_found_error', 'model: wren-9'), 'not_found', false],
    [413, body('request_too_large', 'too many bytes'), 'context_overflow', false],
    [429, body('rate_limit_error', 'slow down'), 'rate_limited', true],
    [500, body('api_error', 'internal'), 'server_error', true],
    [504, body('timeout_error', 'late'), 'server_error', true],
    [529, body('overloaded_error', 'Overloaded'), 'overloaded', true],
    [400, '{"message":"bad gateway field"}', 'invalid_request', false],
    [502, '<html>bad gateway</html>', 'server_error', true],
    [400, '', 'invalid_request', false],
  ])('maps %i %s', async (status, text, code, retryable) => {
    const { error } = await decodeWhole(text, status)

    expect(error).toMatchObject({ code, retryable, status })
  })

  it("shows the provider's words, redacted", async () => {
    const { error } = await decodeWhole(
      body('authentication_error', 'bad key sk-ant-api03-abcdefgh at https://x.example/y'),
      401,
    )

    expect(error?.message).toBe('status 401: authentication_error: bad key [redacted] at [url]')
  })
})
