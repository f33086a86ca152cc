import { ToolError } from '../../contract/errors.ts'
import { webError } from '../codes.ts'
import type { WebTarget } from './web-target.ts'

/**
 * Puts what a connection threw into one of our errors. Its words are dropped: they can hold addresses, headers and
 * parts of the answer.
 */
export function transportError(error: unknown, signal: AbortSignal, method: string, target: WebTarget): ToolError {
  if (signal.reason instanceof ToolError) return signal.reason
  if (error instanceof ToolError) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return webError('headers_too_large', `the head of the answer of ${target.host} is too large`)
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return webError('timed_out', `no connection to ${target.host} came about in time`)
  }
  if (tlsCode.test(code)) return webError('tls_failed', `the certificate or TLS version of ${target.host} is refused`)
  return webError('request_failed', `request failed: ${method} ${target.host}`)
}

const tlsCode = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|EPROTO$)/

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
