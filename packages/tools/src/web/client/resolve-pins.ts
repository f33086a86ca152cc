import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { webError } from '../codes.ts'
import { type AddressPolicy, addressDenied } from './address-policy.ts'
import type { WebTarget } from './web-target.ts'

/** One address that a call may connect to. */
export interface Pin {
  readonly address: string
  readonly family: 4 | 6
}

/** Gives the addresses of a name, an empty list or an error when there are none. Asked once per call. */
export type HostResolver = (hostname: string) => Promise<readonly string[]>

/** Asks the system, as every program does: its hosts file counts. */
export const systemResolver: HostResolver = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

/** The most addresses that are tried. */
const maxPins = 8

/**
 * Finds and checks the addresses of a target. What it returns is all that the call connects to: the name is not
 * resolved again. One address that is not permitted refuses them all.
 *
 * @throws ToolError `host_not_found` or `address_denied`.
 */
export async function resolvePins(
  target: WebTarget,
  policy: AddressPolicy,
  resolve: HostResolver,
): Promise<readonly Pin[]> {
  const addresses = isIP(target.host) === 0 ? await addressesOf(target, resolve) : [target.host]
  if (addresses.some((address) => !policy.permits(target, address))) throw addressDenied(target)
  return addresses.slice(0, maxPins).map((address) => ({ address, family: isIP(address) === 4 ? 4 : 6 }))
}

async function addressesOf(target: WebTarget, resolve: HostResolver): Promise<readonly string[]> {
  let addresses: readonly string[] = []
  try {
    addresses = await resolve(target.host)
  } catch {
    // the resolver's words may hold more than the name
  }
  if (addresses.length === 0) throw webError('host_not_found', `${target.host} has no address`)
  return addresses
}
