import { errorResult, type ToolResult } from '@looprig/tools'

/** The result of a call that would now do something else than what a person was asked about, or nothing at all. */
export function staleResult(): ToolResult {
  return errorResult(
    'stale',
    'stale: what was asked for is not what the call would do now; it did not run. Call again to ask anew.',
  )
}
