import type { Requirement, ToolRequest } from '@looprig/tools'

/**
 * What a gate made of a request. `allow` and `deny` are final; `ask` opens one question to a person over all
 * requirements that are still unmet.
 */
export type Evaluation =
  | { readonly decision: 'allow' }
  | {
      readonly decision: 'deny'
      readonly reason: 'access_denied' | 'access_error' | 'approval_required'
      /** The first requirement that was refused. */
      readonly requirement: Requirement
    }
  | { readonly decision: 'ask'; readonly unmet: readonly Requirement[] }

/** Decides on prepared requests. Tools ask, the gate decides, the sandbox enforces. */
export interface Gate {
  /** Called once per call, after it was prepared and before anything runs. Never throws: a failure is `deny`. */
  evaluate(request: ToolRequest): Promise<Evaluation>
}
