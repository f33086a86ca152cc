import { assertNever, ContentError, isLooprigError, LooprigError } from '@looprig/core'
import { describe, expect, it } from 'vitest'

describe('isLooprigError', () => {
  it('knows every error that extends the base', () => {
    const error = new ContentError('content_invalid', 'blocks[2].type', 'expected a known type')

    expect(isLooprigError(error)).toBe(true)
    expect(error).toBeInstanceOf(LooprigError)
    expect(error).toBeInstanceOf(Error)
  })

  it('knows an error that another copy of the package made', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('@looprig/error')]: true })

    expect(isLooprigError(foreign)).toBe(true)
  })

  it.each([[new Error('x')], [null], ['text'], [{ code: 'content_invalid' }]])('refuses %o', (value) => {
    expect(isLooprigError(value)).toBe(false)
  })
})

describe('ContentError', () => {
  it('names the field in its message and keeps name, code and cause', () => {
    const cause = new Error('inner')
    const error = new ContentError('content_too_large', 'response', 'more than 10 characters', { cause })

    expect(error).toMatchObject({ name: 'ContentError', code: 'content_too_large', field: 'response', cause })
    expect(error.message).toBe('response: more than 10 characters')
  })
})

describe('assertNever', () => {
  it('tells the type of a foreign member and nothing else of it', () => {
    const foreign = { type: 'hologram', secret: 'sentinel-77' } as never

    expect(() => assertNever(foreign, 'block')).toThrow('unexpected block: "hologram"')
    expect(() => assertNever(foreign, 'block')).not.toThrow(/sentinel/)
  })
})
