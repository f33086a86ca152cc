import type { Requirement } from '../contract/request.ts'

/** A host and a port that a tool sends to. */
export interface NetworkEndpoint {
  /** Lower case, no dot at the end, an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
}

/**
 * Asks to reach one host at one port. The rule that a person may save covers the host and the port for every tool:
 * scheme, path and method are not part of it.
 *
 * @param what - what is sent, for people, for example `GET`.
 */
export function networkRequirement({ host, port }: NetworkEndpoint, what: string): Requirement {
  const match = `tcp://${host}:${port}`
  return {
    kind: 'network',
    scope: '',
    match,
    description: `${what} ${host}:${port}`,
    candidates: [{ kind: 'network', match, description: `network egress to ${host}:${port}` }],
  }
}
