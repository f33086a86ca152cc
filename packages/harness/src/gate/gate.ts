import type { ToolExecutionId } from '@looprig/core'
import type { Requirement, Rule, RuleCandidate, ToolRequest } from '@looprig/tools'
import type { DenyReason } from '../event/gate-event.ts'

/**
 * What a gate made of a request. `allow` and `deny` are final; `ask` opens one question to a person over all
 * requirements that are still unmet. All that it names must be of the request, else the call is denied.
 */
export type Evaluation =
  | {
      readonly decision: 'allow'
      /** The stored rule that allowed it; of several, that of the first requirement. */
      readonly rule?: Rule | undefined
      /** The requirements for which `issueGrants` makes tokens. */
      readonly grants?: readonly Requirement[] | undefined
    }
  | {
      readonly decision: 'deny'
      readonly reason: DenyReason
      /** The first requirement that was refused. */
      readonly requirement: Requirement
      /** The stored rule that refused it. */
      readonly rule?: Rule | undefined
    }
  | {
      readonly decision: 'ask'
      readonly unmet: readonly Requirement[]
      /** What `approve_always` would save, of the unmet requirements' own candidates. None: it is not offered. */
      readonly candidates?: readonly RuleCandidate[] | undefined
      /** The requirements for which `issueGrants` makes tokens once a person approves. */
      readonly grants?: readonly Requirement[] | undefined
      /** How long the question stays open, in milliseconds of the store's time. Absent: without end. */
      readonly timeoutMs?: number | undefined
    }

/** An approved call that needs tokens. */
export interface GrantRequest {
  readonly executionId: ToolExecutionId
  readonly request: ToolRequest
  /** One token for each, in this order. */
  readonly requirements: readonly Requirement[]
}

/** Decides on prepared requests. Tools ask, the gate decides, the sandbox enforces. */
export interface Gate {
  /** Called once per call, after it was prepared and before anything runs. What it throws counts as `deny`. */
  evaluate(request: ToolRequest): Promise<Evaluation>
  /**
   * Nobody is there to ask: a question of a tool is answered `unavailable`. Default false. A session records what a gate
   * says here; one that says nothing is recorded as `custom`.
   */
  readonly headless?: boolean | undefined
  /**
   * How long a question of a tool stays open, in milliseconds of the store's time: then it has no answer. Absent: without
   * end. From 1 to 31,536,000,000 (a year).
   */
  readonly questionTimeoutMs?: number | undefined
  /**
   * Names the confinement under which this request would run; no secret. An approval that outlives a restart counts only
   * while it is equal.
   */
  fingerprint?(request: ToolRequest): string | undefined
  /**
   * Names the confinement of all that this gate could allow; no secret. A session records its digest, and a restore under
   * another one is a change of configuration. It may be a getter.
   */
  readonly confinement?: string | undefined
  /** Keeps rules; see `RuleWriter.writeRules`. Absent: `approve_always` is not offered. */
  saveRules?(candidates: readonly RuleCandidate[]): Promise<void>
  /** Makes the tokens of an approved call, right before it is sealed. What it throws keeps the call from running. */
  issueGrants?(call: GrantRequest): Promise<readonly string[]>
}
