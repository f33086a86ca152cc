import { BlockList, isIP } from 'node:net'

/**
 * What an address is good for: `public` may be reached; `private` only where an application names the host; `special`
 * (link-local, metadata services, multicast, reserved, translated from IPv4) only where it names the very address.
 */
export type AddressClass = 'public' | 'private' | 'special'

// Two lists for each class: node:net matches an IPv4 address against IPv6 ranges too, as if it were mapped.
const private4 = ranges('ipv4', [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
])
const private6 = ranges('ipv6', [
  ['::1', 128],
  ['fc00::', 7],
])
const special4 = ranges('ipv4', [
  ['0.0.0.0', 8],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])
/** Outside of 2000::/3 nothing is public: that covers mapped, compatible, NAT64, link-local, site-local, multicast. */
const global6 = ranges('ipv6', [['2000::', 3]])
const special6 = ranges('ipv6', [
  ['fd00:ec2::254', 128],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
])

/** Tells the class of an address; what is no address is `special`. */
export function classifyAddress(address: string): AddressClass {
  switch (isIP(address)) {
    case 4:
      if (special4.check(address, 'ipv4')) return 'special'
      return private4.check(address, 'ipv4') ? 'private' : 'public'
    case 6:
      if (address.includes('%') || special6.check(address, 'ipv6')) return 'special'
      if (private6.check(address, 'ipv6')) return 'private'
      return global6.check(address, 'ipv6') ? 'public' : 'special'
    default:
      return 'special'
  }
}

function ranges(family: 'ipv4' | 'ipv6', networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family)
  return list
}
