import type { JsonValue, ToolExecutionId } from '@looprig/core'
import type { ToolResult } from '@looprig/tools'

/** One decided call as a middleware sees it: frozen all the way down. What runs is `artifact`, whatever a middleware does. */
export interface MiddlewareCall {
  readonly executionId: ToolExecutionId
  /** The provider's id of the call. */
  readonly toolUseId: string
  readonly toolName: string
  /** One line of what it does, without secrets. */
  readonly summary: string
  /** What the tool runs: the data that was decided on. */
  readonly artifact: JsonValue
  /** Running it, or running it and losing the result, changes nothing outside. */
  readonly replaySafe: boolean
  /** Aborted when the turn is interrupted, or the call's time is over. */
  readonly signal: AbortSignal
}

/**
 * Runs the rest of the chain, the tool last, and resolves with its result. It does not reject for the tool's sake: a
 * failure is an error result. After the call's end it runs nothing and resolves with an error result `not_executed`.
 *
 * Rejects with `MiddlewareError` `next_repeated` at a second use, unless the call is replay-safe and was not approved
 * by a person: what may have had an effect is never started twice.
 */
export type NextInChain = () => Promise<ToolResult>

/**
 * Stands around every call that runs. It may wait, look, give another result than the tool, or none of the tool's by
 * not calling `next`. The start of a call that could matter is durable before the first middleware sees it. Its time
 * counts as the call's. What it throws becomes an error result: the message of a `ToolError` is shown to the model, of
 * anything else only that a middleware failed. Its result is bounded and made fit for history as a tool's is.
 */
export type ToolMiddleware = (call: MiddlewareCall, next: NextInChain) => ToolResult | Promise<ToolResult>
