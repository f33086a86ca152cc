import type { ToolExecutionId } from '@looprig/core'

/** What one grant is good for: one execution of one command in one folder, for one requirement, until then. */
export interface GrantBinding {
  readonly executionId: ToolExecutionId
  readonly command: string
  readonly workingDirectory: string
  readonly kind: string
  readonly scope: string
  readonly grantClass: string
  readonly grantTarget: string
  /** In milliseconds since 1970. */
  readonly expiresAtMs: number
}

/**
 * Makes the tokens by which a runner knows what was approved. A gate asks it after the decision, right before the call
 * is sealed, once for each requirement that names a grant class and that configuration did not allow by itself.
 */
export interface GrantIssuer {
  /**
   * The token, not empty. It is handed to the tool that runs and kept nowhere else; what this throws keeps the call from
   * running.
   */
  issueGrant(binding: GrantBinding): Promise<string>
}
