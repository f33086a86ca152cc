import { ToolError } from '@looprig/tools'
import { areTokens, grantFailed } from '../gate/issue-grants.ts'
import type { RunnableCall } from './step-call.ts'
import type { TurnHost } from './turn-host.ts'
import { maxGateMs, withinBound } from './within-bound.ts'

/**
 * Makes the tokens of an approved call, anew for each run, right before it is sealed. They go into the seal and nowhere
 * else. The wait ends with the signal, and after 30 s.
 *
 * @throws ToolError `grant_failed`, without the reason, since a token may be in it; `not_executed` when the call was
 *   stopped meanwhile.
 */
export async function mintGrants(
  host: Pick<TurnHost, 'loop' | 'clock'>,
  { executionId, grants, prepared }: RunnableCall,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { gate } = host.loop
  let tokens: readonly string[] | undefined
  try {
    const issued = gate?.issueGrants?.({ executionId, request: prepared.request, requirements: grants })
    if (issued !== undefined) tokens = await withinBound(host.clock, maxGateMs, issued, signal)
  } catch {
    throw grantFailed()
  }
  if (signal.aborted) throw new ToolError('not_executed', 'not_executed: the call was stopped before it ran')
  if (!areTokens(tokens, grants)) throw grantFailed()
  return Object.freeze([...tokens])
}
