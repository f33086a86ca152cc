import type { OpenStep } from './open-step.ts'
import type { TurnHost } from './turn-host.ts'
import type { TurnProgress } from './turn-progress.ts'

/** Where a turn goes on that a restore found at an open step. */
export interface TurnResume {
  /** Of the steps before; the open one is added to it. */
  readonly progress: TurnProgress
  readonly step: OpenStep
  /** Opens again, at once, the gates that are still open, and waits until each is answered or the turn is stopped. */
  ask(host: TurnHost): Promise<void>
}
