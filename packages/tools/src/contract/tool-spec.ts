import type { JsonObject } from '@looprig/core'
import type { BindingName, BindingsFor } from './bindings.ts'
import type { InputSchema } from './input-schema.ts'
import type { Preview } from './preview.ts'
import type { UserQuestion } from './question.ts'
import type { Requirement } from './request.ts'
import type { ToolResult } from './result.ts'
import type { CallContext } from './tool.ts'

/** Data as it is after freezing: read-only all the way down. */
export type Frozen<T> = T extends (...args: never[]) => unknown
  ? never
  : // a branded text looks like an object too; all JSON is read-only as it is, and has no end for a compiler
    T extends string
    ? T
    : JsonObject extends T
      ? T
      : T extends readonly unknown[] | object
        ? { readonly [K in keyof T]: Frozen<T[K]> }
        : T

/** What `prepare` returns: what will run, for what it needs access, and how people read it. */
export interface Preparation {
  /** One line for people. */
  readonly summary: string
  /** Plain JSON data, all that `run` gets. */
  readonly artifact: unknown
  /** Empty: the tool acts only on what it already owns. */
  readonly requirements: readonly Requirement[]
  readonly command?: string | undefined
  readonly workingDirectory?: string | undefined
  readonly expiresAtMs?: number | undefined
  /** Ask this of the person: the answer is the call's result, and `run` is never called within a session. */
  readonly question?: UserQuestion | undefined
  /** What the artifact would change, for the person who decides. Make it from the same data as the artifact. */
  readonly preview?: Preview | undefined
}

/** What `prepare` is given besides the input. */
export type PrepareContext<R extends readonly BindingName[], D> = CallContext & BindingsFor<R> & { readonly deps: D }

/** What `run` is given besides its data. `grants` are tokens for runners, one per requirement that asked for one. */
export type RunContext<R extends readonly BindingName[], D> = PrepareContext<R, D> & {
  readonly grants: readonly string[]
}

interface CommonSpec<R extends readonly BindingName[], I, D> {
  /** As the model calls it: letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  /** For the model: what it does and when to use it. */
  readonly description: string
  readonly inputSchema: InputSchema<I>
  /** What it needs to be built: a literal tuple, which types the bindings below. */
  readonly requires?: R | undefined
  /** It must not run beside another call of its step. Default false. */
  readonly sequential?: boolean | undefined
  /**
   * After how many milliseconds a call ends with `timed_out`: its signal is aborted, and what it comes to later is
   * dropped. From 1 to 86,400,000; default: no limit.
   */
  readonly timeoutMs?: number | undefined
  /** Makes what the calls of one build share; runs once per build. Its value is `context.deps`. */
  readonly setup?: ((bindings: BindingsFor<R>) => D | Promise<D>) | undefined
}

/** A tool that needs nothing outside its loop. It runs without a gate on its parsed input. */
export interface PureToolSpec<R extends readonly BindingName[], I, D> extends CommonSpec<R, I, D> {
  readonly pure: true
  readonly run: (input: Frozen<I>, context: RunContext<R, D>) => ToolResult | Promise<ToolResult>
}

/** A tool that touches the world. `run` never sees the input: only what `prepare` froze and the gate decided on. */
export interface EffectfulToolSpec<R extends readonly BindingName[], I, D, P extends Preparation>
  extends CommonSpec<R, I, D> {
  readonly pure?: false | undefined
  /** Running it, or running it and losing the result, changes nothing outside. Default false. */
  readonly replaySafe?: boolean | undefined
  /** Freezes what will run and names the access it needs. Called once per call, before the gate; changes nothing. */
  readonly prepare: (input: I, context: PrepareContext<R, D>) => P | Promise<P>
  /** Runs the frozen artifact. Called at most once per approved call. */
  readonly run: (
    artifact: Frozen<NoInfer<P>['artifact']>,
    context: RunContext<R, D>,
  ) => ToolResult | Promise<ToolResult>
  /** The key of what it writes: calls with an equal key do not run at the same time. */
  readonly writeTarget?: ((artifact: Frozen<NoInfer<P>['artifact']>) => string) | undefined
  /** One line for logs, without secrets and contents. Default: the tool's name. */
  readonly auditSummary?: ((artifact: Frozen<NoInfer<P>['artifact']>) => string) | undefined
}

/** Either kind of tool. */
export type ToolSpec<R extends readonly BindingName[], I, D, P extends Preparation> =
  | PureToolSpec<R, I, D>
  | EffectfulToolSpec<R, I, D, P>
