import type { InferenceErrorCode } from './errors.ts'

/** What a provider said about a failure, in any of its dialects. */
export interface ProviderFailure {
  /** The HTTP status, or a status inside the error object of a 200 response. */
  readonly status?: number | undefined
  /** Its machine words (`code`, `type`), as they came. */
  readonly words: readonly string[]
  readonly message: string
}

/** Finds the code of a failure: words that say more than the status first, then the status, then the other words. */
export function classifyFailure({ status, words, message }: ProviderFailure): InferenceErrorCode {
  const known = words.map((word) => word.toLowerCase())
  for (const word of known) {
    const code = preciseWords.get(word)
    if (code !== undefined) return code
  }
  if (maySayOverflow(status) && overflowMessage.test(message)) return 'context_overflow'
  if (status === 400 && /credit balance is too low/i.test(message)) return 'quota'
  if (status !== undefined && status >= 300) return classifyStatus(status)
  for (const word of known) {
    const code = plainWords.get(word)
    if (code !== undefined) return code
  }
  return 'server_error'
}

/** Finds the code of a bare HTTP status. */
export function classifyStatus(status: number): InferenceErrorCode {
  return statuses.get(status) ?? (status >= 500 ? 'server_error' : 'invalid_request')
}

const statuses: ReadonlyMap<number, InferenceErrorCode> = new Map([
  [401, 'auth'],
  [402, 'quota'],
  [403, 'auth'],
  [404, 'not_found'],
  [408, 'timeout'],
  [413, 'context_overflow'],
  [429, 'rate_limited'],
  [503, 'overloaded'],
  [529, 'overloaded'],
])

/** Words that narrow what a status says. */
const preciseWords = wordTable({
  quota: [
    'insufficient_quota',
    'quota_exceeded',
    'billing_hard_limit_reached',
    'billing_not_active',
    'billing_error',
    'servicequotaexceededexception',
  ],
  context_overflow: ['context_length_exceeded', 'request_too_large'],
  not_found: ['model_not_found'],
  overloaded: ['modelnotreadyexception'],
  server_error: ['modelerrorexception', 'modelstreamerrorexception'],
  refused: [
    'content_filter',
    'content_policy_violation',
    'image_content_policy_violation',
    'invalid_prompt',
    'responsibleaipolicyviolation',
  ],
})

/** Words that stand in for a status, in an error object inside a 200 response. */
const plainWords = wordTable({
  auth: [
    'authentication_error',
    'invalid_api_key',
    'permission_denied',
    'permission_error',
    'unauthorized',
    'forbidden',
  ],
  rate_limited: [
    'rate_limit_error',
    'rate_limit_exceeded',
    'ratelimitreached',
    'too_many_requests',
    'resource_exhausted',
  ],
  overloaded: [
    'overloaded',
    'overloaded_error',
    'engine_overloaded_error',
    'unavailable',
    'service_unavailable',
    'temporarily_unavailable',
  ],
  timeout: ['timeout', 'timeout_error', 'deadline_exceeded'],
  not_found: ['not_found', 'not_found_error'],
  invalid_request: ['bad_request', 'invalid_argument', 'invalid_request', 'invalid_request_error'],
})

const overflowMessage =
  /context[ _](?:length|window|limit)|maximum context|input tokens exceed|(?:prompt|input) (?:is )?too long|too many (?:input )?tokens|maximum number of tokens/i

function maySayOverflow(status: number | undefined): boolean {
  return status === undefined || status === 400 || status === 413 || status === 422
}

/** A map, since a provider may send any word, `constructor` too. */
function wordTable(
  words: Partial<Record<InferenceErrorCode, readonly string[]>>,
): ReadonlyMap<string, InferenceErrorCode> {
  const table = new Map<string, InferenceErrorCode>()
  for (const [code, list] of Object.entries(words)) {
    for (const word of list) table.set(word, code as InferenceErrorCode) // proved: the keys of `words` are codes
  }
  return table
}
