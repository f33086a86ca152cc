/** One difference between a session's manifest and the present rig. */
export interface DriftChange {
  /** For example `workspace` or `loops.coder.tools`. */
  readonly field: string
  readonly recorded: string
  readonly present: string
}
