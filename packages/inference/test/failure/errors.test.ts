import { isLooprigError } from '@looprig/core'
import { InferenceError, inferenceErrorCodes } from '@looprig/inference'
import { describe, expect, it } from 'vitest'

describe('InferenceError', () => {
  it('carries the brand, its code and what it was given', () => {
    const error = new InferenceError('rate_limited', 'slow down', { status: 429, retryAfterMs: 5 })

    expect(isLooprigError(error)).toBe(true)
    expect(error).toMatchObject({ name: 'InferenceError', code: 'rate_limited', status: 429, retryAfterMs: 5 })
  })

  it('is retryable by its code, unless it was told', () => {
    const retryable = inferenceErrorCodes.filter((code) => new InferenceError(code, '').retryable)

    expect(retryable).toEqual(['rate_limited', 'overloaded', 'server_error', 'truncated', 'network', 'timeout'])
    expect(new InferenceError('network', '', { retryable: false }).retryable).toBe(false)
    expect(new InferenceError('auth', '', { retryable: true }).retryable).toBe(true)
  })
})
