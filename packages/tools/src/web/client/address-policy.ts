import { isIP } from 'node:net'
import { DefinitionBuildError } from '../../contract/errors.ts'
import { webError } from '../codes.ts'
import { classifyAddress } from './address-ranges.ts'
import { parseHostPort } from './host-port.ts'
import { isRefusedPort } from './refused-ports.ts'
import type { WebTarget } from './web-target.ts'

/** Decides which addresses a target may have. */
export interface AddressPolicy {
  /** @throws ToolError `address_denied` or `port_denied` for a target that can never be reached. */
  checkTarget(target: WebTarget): void
  /** Says whether this target may be reached at this address. */
  permits(target: WebTarget, address: string): boolean
}

/**
 * Public addresses for everybody, private ones for the named hosts.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the entry that is no `host:port`.
 */
export function createAddressPolicy(allowPrivateHosts: readonly string[]): AddressPolicy {
  const named = new Set(allowPrivateHosts.map((entry, index) => parseEntry(entry, index)))
  const permits = (target: WebTarget, address: string) => {
    switch (classifyAddress(address)) {
      case 'public':
        return true
      case 'private':
        return named.has(keyOf(target))
      // a name must not lead to a metadata service, even a trusted one: only the very address does
      case 'special':
        return target.host === address && named.has(keyOf(target))
    }
  }
  return {
    permits,
    checkTarget: (target) => {
      if (isIP(target.host) !== 0 && !permits(target, target.host)) throw addressDenied(target)
      if (isRefusedPort(target.port) && !named.has(keyOf(target))) {
        throw webError('port_denied', `port ${target.port} is not one that web requests go to`)
      }
    },
  }
}

/** The one error for an address that is not public; it never tells which address a name has. */
export function addressDenied({ host }: WebTarget): Error {
  const what = isIP(host) === 0 ? 'leads to' : 'is'
  return webError('address_denied', `${host} ${what} an address that is not public; it cannot be reached`)
}

function keyOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host}:${port}`
}

function parseEntry(entry: string, index: number): string {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(String(entry)) ?? []
  const parsed = parseHostPort(host, port)
  if (parsed !== undefined) return keyOf(parsed)
  throw new DefinitionBuildError('invalid_definition', 'createGuardedClient', `allowPrivateHosts[${index}]`)
}
