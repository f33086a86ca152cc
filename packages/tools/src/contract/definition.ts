import type { BindingName, BindingsFor } from './bindings.ts'
import type { Tool } from './tool.ts'

/** What the runtime knows of a tool before any is built. */
export interface ToolIdentity {
  readonly name: string
  readonly schemaDigest: string
}

/** A blueprint of one or more tools: immutable, shared freely, built anew for every loop. */
export interface ToolDefinition<R extends readonly BindingName[] = readonly BindingName[]> {
  /** Stable; for a single tool, the tool's name. */
  readonly name: string
  /** What it needs to be built; it gets nothing else. */
  readonly requires: R
  /** The tools it yields, in order. */
  readonly produces: readonly ToolIdentity[]
  /**
   * Makes fresh instances. Call `buildTools`, which checks `requires` and the outcome.
   *
   * @throws DefinitionBuildError before any tool exists.
   */
  build(bindings: BindingsFor<R>): Promise<readonly Tool[]>
}
