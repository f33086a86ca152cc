import type { Requirement } from './request.ts'

/** What configuration says of one requirement: never, a person decides, or always. */
export type Access = 'deny' | 'ask' | 'allow'

/** Answers for some kinds of requirement. A gate has exactly one source for a kind; no source means deny. */
export interface AccessSource {
  /** The requirement kinds that it answers for. */
  readonly kinds: readonly string[]
  /** Judges one requirement by its scope; called once per evaluation. What it throws counts as deny. */
  accessFor(requirement: Requirement): Access
  /**
   * Names the confinement that its answers rest on, for example a digest of a sandbox's profile and of what the sandbox
   * can enforce; no secret. It may be a getter. An approval that outlives a restart counts only while this is equal.
   */
  readonly fingerprint?: string | undefined
}
