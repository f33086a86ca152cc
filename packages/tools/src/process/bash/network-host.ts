import { isIP } from 'node:net'
import { ToolError } from '../../contract/errors.ts'

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * A host in the one form in which rules and grants compare it: lower case, no dot at the end, an address canonical.
 *
 * @throws ToolError `invalid_arguments`
 */
export function networkHost(input: string): string {
  const lower = input.toLowerCase().replace(/\.$/, '')
  const bare = lower.startsWith('[') && lower.endsWith(']') ? lower.slice(1, -1) : lower
  const family = isIP(bare)
  if (family === 4) return bare
  if (family === 6 && !bare.includes('%')) return new URL(`http://[${bare}]/`).hostname.slice(1, -1)
  const labels = lower.split('.')
  // a name whose last label is a number would be read as an address by some programs
  const isName = labels.every((part) => label.test(part)) && !/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  if (!isName)
    throw new ToolError('invalid_arguments', 'invalid arguments: access.network.host: expected a host name or address')
  return lower
}
