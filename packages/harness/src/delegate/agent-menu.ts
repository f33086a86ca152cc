/** One kind of agent that a loop may start. */
export interface AgentRole {
  /** The name of its loop's definition. */
  readonly name: string
  /** What it is for; `''` when its definition does not say. */
  readonly description: string
  /** The names of the modes that it can begin in; none when it has no modes. */
  readonly modes: readonly string[]
}

/**
 * How much a loop may do with its agents. `sync`: it starts one and waits for the answer. `managed`: it may also go on
 * meanwhile, send more requests, list and stop them.
 */
export type DelegationStyle = 'sync' | 'managed'

/** What a loop may start, and how. */
export interface AgentMenu {
  readonly style: DelegationStyle
  /** At least one. */
  readonly roles: readonly AgentRole[]
}
