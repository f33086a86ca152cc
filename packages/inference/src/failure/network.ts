import { InferenceError } from './errors.ts'

/**
 * Turns a failure of the connection into an `InferenceError`: `timeout`, or `network`, which is retryable unless the
 * certificate is at fault. Only the system's error code is kept, since causes name hosts, ports and addresses.
 */
export function networkError(error: unknown): InferenceError {
  const code = systemCode(error)
  const named = code === undefined ? '' : ` (${code})`
  if (code !== undefined && timeouts.has(code)) return new InferenceError('timeout', `the connection timed out${named}`)
  if (code !== undefined && certificate.test(code)) {
    return new InferenceError('network', `the certificate of the endpoint is not trusted${named}`, { retryable: false })
  }
  if (code?.startsWith('HPE_') === true || nameOf(error) === 'HTTPParserError') {
    return new InferenceError('malformed', `the endpoint does not speak HTTP${named}`)
  }
  return new InferenceError('network', `the connection failed${named}`)
}

const timeouts: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

const certificate = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY|DECRYPT)|^ERR_(?:TLS|SSL)/

/** The code of an error or of what caused it, a few levels down; never anything that is not a plain constant. */
function systemCode(error: unknown): string | undefined {
  let at: unknown = error
  for (let level = 0; level < 4 && typeof at === 'object' && at !== null; level += 1) {
    const { code, cause } = at as { code?: unknown; cause?: unknown } // any object may be asked for both
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return code
    at = cause
  }
  return undefined
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
