import { type GrantIssuer, type Requirement, ToolError } from '@looprig/tools'
import type { GrantRequest } from './gate.ts'

/**
 * Makes one token for each requirement that needs one, bound to this execution.
 *
 * @throws ToolError `grant_failed` when there is no issuer, or it gave no token.
 */
export async function issueGrants(
  issuer: GrantIssuer | undefined,
  { executionId, request, requirements }: GrantRequest,
): Promise<readonly string[]> {
  if (issuer === undefined) throw grantFailed()
  const tokens: string[] = []
  for (const requirement of requirements) {
    const { command, workingDirectory, expiresAtMs } = request
    const { kind, scope, grantClass, grantTarget } = requirement
    const isBound = command !== undefined && workingDirectory !== undefined && expiresAtMs !== undefined
    if (!isBound || grantClass === undefined || grantTarget === undefined) throw grantFailed()
    const token: unknown = await issuer.issueGrant({
      ...{ executionId, command, workingDirectory, expiresAtMs },
      ...{ kind, scope, grantClass, grantTarget },
    })
    if (typeof token !== 'string' || token === '') throw grantFailed()
    tokens.push(token)
  }
  return tokens
}

/** What a call comes to that was approved and has no token; it does not say why, since a token may be in the reason. */
export function grantFailed(): ToolError {
  return new ToolError('grant_failed', 'the call was approved, but no grant for it could be made; it did not run')
}

/** Says whether tokens are as many as were asked for, and none empty. */
export function areTokens(tokens: unknown, requirements: readonly Requirement[]): tokens is readonly string[] {
  if (!Array.isArray(tokens) || tokens.length !== requirements.length) return false
  return tokens.every((token) => typeof token === 'string' && token !== '')
}
