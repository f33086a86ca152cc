import type { JsonObject, JsonValue, ToolExecutionId } from '@looprig/core'
import type { Preview } from './preview.ts'
import type { UserQuestion } from './question.ts'
import type { ToolRequest } from './request.ts'
import type { ToolResult } from './result.ts'

/** A tool as a model sees it. */
export interface ToolInfo {
  readonly name: string
  readonly description: string
  /** JSON Schema of the argument object, frozen. */
  readonly inputSchema: JsonObject
  /** Lower-case hex SHA-256 of the schema's canonical JSON: the durable identity of the arguments. */
  readonly schemaDigest: string
}

/** Which call it is, and its end. */
export interface CallContext {
  readonly executionId: ToolExecutionId
  /** The provider's id of the call. */
  readonly toolUseId: string
  /** Aborted when the turn is interrupted, or the call's time is over. */
  readonly signal: AbortSignal
  /**
   * Asks the person a question while the call runs, and resolves with the answer; there in `run` only, and only within a
   * session. The question ends with its call: it does not survive a restart. Where the answer is all that the call is
   * for, let `prepare` return the question instead.
   *
   * Rejects with a `ToolError`: `question_invalid`, `unavailable` (nobody can be asked), `interrupted`.
   */
  readonly requestUserInput?: ((question: UserQuestion) => Promise<string>) | undefined
  /**
   * There in `prepare` only, and only when an earlier process prepared this very call and asked a person about it: what is
   * prepared now counts only if it is equal to what was shown. So a tool may take for granted what it knew then and cannot
   * know any more, for example that a file had been read: where it did not know it, the call is stale.
   */
  readonly askedBefore?: true | undefined
  /** Tells watchers how far the call is; in `run` only. Each text is shown for a moment and kept nowhere. */
  readonly progress?: ((text: string) => void) | undefined
}

/** What `prepareCall` made of the untrusted arguments. Not yet a permission. */
export interface PreparedRequest {
  readonly request: ToolRequest
  /** What will run: frozen plain JSON data. */
  readonly artifact: JsonValue
  /** The question whose answer is the call's result. The call waits for it after its access is decided, and never runs. */
  readonly question?: UserQuestion | undefined
  /** What the person who decides is shown besides the request. */
  readonly preview?: Preview | undefined
}

/** What `invoke` is given: the call, and its seal. */
export interface InvokeContext extends CallContext {
  /** The sealed call; without a genuine one of this call the result is an error and nothing happens. */
  readonly prepared?: unknown
}

/** One built tool. The runtime drives it: prepare, decide, seal, invoke. */
export interface Tool {
  readonly info: ToolInfo
  /** Running it, or running it and losing the result, changes nothing outside. */
  readonly replaySafe: boolean
  /** It must not run beside another call of its step. */
  readonly sequential: boolean
  /** After how many milliseconds the runtime ends a call with `timed_out`; absent: it does not. */
  readonly timeoutMs?: number | undefined
  /**
   * Decodes the arguments once, freezes what will run, and says which access it needs. Touches nothing.
   *
   * @throws ToolError `invalid_arguments`, or what the tool has to say to the model.
   */
  prepareCall(context: CallContext, argsJson: string): Promise<PreparedRequest>
  /** Runs the sealed call. `argsJson` is ignored. Never throws: every failure is an error result. */
  invoke(context: InvokeContext, argsJson: string): Promise<ToolResult>
  /** The key of what it writes: calls with an equal key do not run at the same time. */
  writeTarget(artifact: JsonValue): string | undefined
  /** One line for logs and audits, without secrets and contents. */
  auditSummary(artifact: JsonValue): string
}
