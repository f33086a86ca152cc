import type { Requirement } from './request.ts'

/** What configuration says of one requirement: never, a person decides, or always. */
export type Access = 'deny' | 'ask' | 'allow'

/** Answers for some kinds of requirement. A gate has exactly one source for a kind; no source means deny. */
export interface AccessSource {
  /** The requirement kinds that it answers for. */
  readonly kinds: readonly string[]
  /** Judges one requirement by its scope; called once per evaluation. What it throws counts as deny. */
  accessFor(requirement: Requirement): Access
}
