import type { InputId, LoopId, TurnId } from '@looprig/core'

/** What the rest of a session knows a loop by. */
export interface LoopHandle {
  readonly id: LoopId
  /** The turn that runs, and the input that began it. */
  readonly active: { readonly inputId: InputId; readonly turnId: TurnId } | undefined
  /** How many inputs wait. */
  readonly queueLength: number
  /** The turn that an input began or joined, while it runs. */
  turnOf(inputId: InputId): TurnId | undefined
}
