import type { Preview } from '@looprig/tools'
import type { GateRequest } from '../gate/open-gate.ts'
import type { EndOperation } from '../hook/hook-runner.ts'

/** What a person is asked about one call of a step. */
export interface CallGate {
  /** What its record says. */
  readonly asked: GateRequest
  /** Its record is to be written, is durable, or has its answer. */
  state: 'due' | 'open' | 'resolved'
  /** The store's time of its record, once it is durable. */
  at: number
  /** What the call would change; gone after a restore. */
  readonly preview?: Preview | undefined
  /** Ends what hooks are told of the wait; there once it is open. */
  endHooks?: EndOperation
}
