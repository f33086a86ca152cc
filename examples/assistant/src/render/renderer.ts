import type { Delivery, TurnResult } from '@looprig/harness'

/** Prints what a session says, in one output format. Each call resolves when there is room for more. */
export interface Renderer {
  /** Called once per event, in order. */
  event(delivery: Delivery): Promise<void>
  /** Called once per submitted input, when it has its outcome; tells an error that no event told. */
  result(result: TurnResult): Promise<void>
}
