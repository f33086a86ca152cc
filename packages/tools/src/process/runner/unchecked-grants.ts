import { randomUUID } from 'node:crypto'
import type { GrantIssuer } from '../../contract/grant.ts'

/**
 * Issues tokens that nobody checks, for a gate in front of a runner that takes none, such as `directRunner`: there the
 * decision is all that holds a command back. A runner that confines brings an issuer of its own.
 */
export function uncheckedGrants(): GrantIssuer {
  return Object.freeze({ issueGrant: async () => randomUUID() })
}
