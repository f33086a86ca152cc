import { describe, expect, it } from 'vitest'
import { classifyFailure } from '../../src/failure/classify.ts'

describe('classifyFailure', () => {
  it.each([
    ['a quota word outranks the status', 429, ['insufficient_quota'], '', 'quota'],
    ['a word in another case counts', 403, ['Billing_Not_Active'], '', 'quota'],
    ['an overflow word outranks the status', 400, ['context_length_exceeded'], '', 'context_overflow'],
    [
      'an overflow message of a 400 counts',
      400,
      [],
      "This model's maximum context length is 8 tokens",
      'context_overflow',
    ],
    ['a prompt that is too long counts', 400, ['invalid_request_error'], 'prompt too long; cut it', 'context_overflow'],
    ['an overflow message inside a 200 counts', undefined, [], 'input is too long for this model', 'context_overflow'],
    ['an overflow message of a 500 does not', 500, [], 'context length lookup failed', 'server_error'],
    ['an unknown model is not found, by any status', 400, ['model_not_found'], '', 'not_found'],
    ['the status outranks plain words', 503, ['invalid_request_error'], '', 'overloaded'],
    ['a plain word stands in for a status', undefined, ['overloaded_error'], '', 'overloaded'],
    ['the first word that is known counts', undefined, ['e_17', 'rate_limit_error'], '', 'rate_limited'],
    ['a key word means auth', undefined, ['invalid_api_key'], '', 'auth'],
    ['an unknown word is a server error', undefined, ['e_17'], 'hm', 'server_error'],
    ['a word of the language is no word of ours', undefined, ['constructor', '__proto__'], '', 'server_error'],
    ['a content policy refuses, by any status', 400, ['content_policy_violation'], '', 'refused'],
    ['a content filter refuses inside a 200 too', undefined, ['content_filter'], '', 'refused'],
    ['529 is as 503 is', 529, [], '', 'overloaded'],
    ['an unknown 4xx is an invalid request', 418, [], '', 'invalid_request'],
    ['an unknown 5xx is a server error', 599, [], '', 'server_error'],
  ] as const)('%s', (_rule, status, words, message, code) => {
    expect(classifyFailure({ status, words, message })).toBe(code)
  })
})
