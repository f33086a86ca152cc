import { describe, expect, it } from 'vitest'
import { createBedrockCodec } from '../../../src/codec/bedrock-converse/codec.ts'

const codec = createBedrockCodec()

function decode(status: number, text: string, type?: string) {
  const header = (name: string) => (name === 'x-amzn-errortype' ? type : undefined)
  return codec.decodeError(text, { status, header }, (said) => said)
}

const said = (message: string): string => JSON.stringify({ message })

describe('decodeErrorResponse of Bedrock Converse', () => {
  it.each([
    [429, said('Too many requests'), 'ThrottlingException:http://internal.amazon.com/x', 'rate_limited', true],
    [429, said('not ready'), 'ModelNotReadyException', 'overloaded', true],
    [424, said('the model failed'), 'ModelErrorException', 'server_error', true],
    [408, said('late'), 'ModelTimeoutException', 'timeout', true],
    [503, said('busy'), 'ServiceUnavailableException', 'overloaded', true],
    [500, said('oops'), undefined, 'server_error', true],
    [403, said('The security token is expired'), 'ExpiredTokenException', 'auth', false],
    [404, said('no such model'), 'ResourceNotFoundException', 'not_found', false],
    [400, said('over your quota'), 'ServiceQuotaExceededException', 'quota', false],
    [
      400,
      said('Input Tokens Exceeded: Number of input tokens exceeds maximum length.'),
      undefined,
      'context_overflow',
      false,
    ],
    [400, said('Input is too long for requested model.'), 'ValidationException', 'context_overflow', false],
    [400, said('The provided model identifier is invalid.'), 'ValidationException', 'invalid_request', false],
    [400, '{"Message":"bad","__type":"com.amazon#ValidationException"}', undefined, 'invalid_request', false],
    [502, '<html>', undefined, 'server_error', true],
  ])('maps %i %s of %s', (status, text, type, code, retryable) => {
    expect(decode(status, text, type)).toMatchObject({ code, retryable, status })
  })

  it('names the exception without its namespace or address', () => {
    expect(decode(429, said('slow'), 'aws#ThrottlingException:http://x/').provider).toEqual({
      type: 'ThrottlingException',
      message: 'slow',
    })
  })
})
