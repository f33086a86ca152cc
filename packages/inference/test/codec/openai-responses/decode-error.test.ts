import { describe, expect, it } from 'vitest'
import { completed, decodeStream, decodeWhole, sse } from './responses.ts'

const created = { type: 'response.created', response: { status: 'in_progress', model: 'lark-5' } }
const quota = { code: 'insufficient_quota', message: 'You exceeded your current quota.' }

describe('a Responses stream that fails', () => {
  it.each([
    ['an error event that holds it', { type: 'error', error: { type: 'x', ...quota } }],
    ['an error event that is it', { type: 'error', ...quota, param: null }],
    ['a failed response', { type: 'response.failed', response: { status: 'failed', error: quota } }],
    ['a complete response that failed', { type: 'response.completed', response: { status: 'failed', error: quota } }],
    ['an error of a gateway', { error: quota }],
  ])('tells why by %s', async (_what, event) => {
    const { error, response } = await decodeStream(sse(created, event))

    expect(error).toMatchObject({ code: 'quota', retryable: false, provider: quota })
    expect(response.finish).toBeUndefined()
  })

  it.each([
    ['rate_limit_exceeded', 'rate_limited', true],
    ['server_error', 'server_error', true],
    ['context_length_exceeded', 'context_overflow', false],
    ['invalid_prompt', 'refused', false],
  ])('knows %s', async (code, expected, retryable) => {
    const { error } = await decodeStream(sse({ type: 'response.failed', response: { error: { code, message: 'No' } } }))

    expect(error).toMatchObject({ code: expected, retryable })
  })

  it('fails also when it says nothing', async () => {
    const { error, facts } = await decodeStream(sse(created, { type: 'response.failed' }))

    expect(error).toMatchObject({ code: 'server_error' })
    expect(facts).toEqual({ model: 'lark-5', reason: 'unknown', rawReason: 'failed' })
  })

  it('is no success when it failed after text', async () => {
    const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Half' }

    const { error, response } = await decodeStream(sse(created, delta, { type: 'error', error: quota }))

    expect(error?.code).toBe('quota')
    expect(response.finish).toBeUndefined()
  })

  it('does not take a null error for one', async () => {
    const { error } = await decodeStream(sse({ ...created, error: null }, { error: null }, completed()))

    expect(error).toBeUndefined()
  })

  it('is malformed when it ends in a status that is no end', async () => {
    const { error } = await decodeStream(sse({ type: 'response.completed', response: { status: 'queued' } }))

    expect(error?.code).toBe('malformed')
  })
})

describe('a whole Responses error', () => {
  it.each([
    ['an object in a response of status 200', 200, { error: quota }],
    ['a failed response of status 200', 200, { status: 'failed', output: [], error: quota }],
    ['an object of status 429', 429, { error: { ...quota, type: 'insufficient_quota', param: null } }],
  ])('is read from %s', async (_what, status, body) => {
    expect((await decodeWhole(body, status)).error).toMatchObject({ code: 'quota', retryable: false })
  })

  it('is read where it is a plain text', async () => {
    const { error } = await decodeWhole({ code: 'invalid-argument', error: 'Incorrect API key provided.' }, 400)

    expect(error).toMatchObject({
      code: 'invalid_request',
      status: 400,
      provider: { code: 'invalid-argument', message: 'Incorrect API key provided.' },
    })
  })

  it.each(['', '<html>', '{"error"'])('goes by the status where the body is %j', async (body) => {
    expect((await decodeWhole(body, 503)).error).toMatchObject({ code: 'overloaded', retryable: true })
  })
})
