import { describe, expect, it } from 'vitest'
import { networkError } from '../../src/failure/network.ts'

const coded = (code: string): Error => Object.assign(new Error(`connect ${code} 10.1.2.3:443`), { code })

describe('networkError', () => {
  it.each([
    ['ECONNRESET', 'network', true],
    ['ECONNREFUSED', 'network', true],
    ['ENOTFOUND', 'network', true],
    ['EAI_AGAIN', 'network', true],
    ['UND_ERR_SOCKET', 'network', true],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', true],
    ['ETIMEDOUT', 'timeout', true],
    ['CERT_HAS_EXPIRED', 'network', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'network', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'network', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'network', false],
    ['HPE_INVALID_VERSION', 'malformed', false],
  ])('takes %s as %s', (system, code, retryable) => {
    const error = networkError(coded(system))

    expect(error).toMatchObject({ code, retryable })
    expect(error.message).toContain(`(${system})`)
  })

  it('finds the code of the cause', () => {
    const error = networkError(new TypeError('fetch failed', { cause: coded('CERT_HAS_EXPIRED') }))

    expect(error).toMatchObject({ code: 'network', retryable: false })
  })

  it('tells nothing but the code: no address, no cause, no code of odd form', () => {
    const error = networkError(Object.assign(new Error('connect 10.1.2.3'), { code: 'sentinel 10.1.2.3' }))

    expect(error.message).toBe('the connection failed')
    expect(error.cause).toBeUndefined()
  })

  it.each([null, undefined, 'text', 7])('takes the thrown value %o', (value) => {
    expect(networkError(value)).toMatchObject({ code: 'network' })
  })
})
