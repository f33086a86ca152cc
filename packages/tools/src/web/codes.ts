import { ToolError } from '../contract/errors.ts'

/**
 * Why a web tool gave an error result. The contract adds `invalid_arguments`, `permission_denied` and `tool_failed`.
 *
 * - `invalid_url`: no absolute http or https URL, a user name or password in it, or a host or port that cannot be.
 * - `invalid_headers`: a header that cannot be sent, or that the client sets by itself.
 * - `address_denied`: the host is, or its name leads to, an address that is not public.
 * - `port_denied`: a port of another protocol, as browsers refuse it.
 * - `host_not_found`: the name has no address.
 * - `redirect_blocked`: the answer leads to another scheme, host or port than the approved one.
 * - `too_many_redirects`: more than ten within the approved origin.
 * - `headers_too_large`: the head of the answer passes its cap.
 * - `unsupported_encoding`: a compression that was not asked for.
 * - `unsupported_content_type`: the answer is no text; the message tells its type and size.
 * - `tls_failed`: the certificate or the protocol version was refused.
 * - `request_failed`: any other fault of the connection.
 * - `search_failed`: the search provider gave no list of results.
 * - `timed_out`, `interrupted`: the call ended early.
 */
export type WebToolCode = (typeof webToolCodes)[number]

/** The closed set of codes of web tools, as values. */
export const webToolCodes = Object.freeze([
  'invalid_url',
  'invalid_headers',
  'address_denied',
  'port_denied',
  'host_not_found',
  'redirect_blocked',
  'too_many_redirects',
  'headers_too_large',
  'unsupported_encoding',
  'unsupported_content_type',
  'tls_failed',
  'request_failed',
  'search_failed',
  'timed_out',
  'interrupted',
] as const)

/**
 * A `ToolError` whose code is of the set above. The message may name a host and a port; never a path, a query, a header
 * or what the transport said, so it carries no cause either.
 */
export function webError(code: WebToolCode, message: string): ToolError {
  return new ToolError(code, message)
}
