import type { AgentHost } from './agent-host.ts'
import type { CallInStep } from './call-in-step.ts'

/** Why an agent tool does nothing. */
export interface Refusal {
  readonly code: string
  /** What the model reads. */
  readonly reason: string
}

/** Why a call may not reach an agent any more. Asked again in the commit that would reach it. */
export function refusalOf(host: AgentHost, { step }: CallInStep, signal: AbortSignal): Refusal | undefined {
  if (host.ending() !== undefined) return { code: 'session_closed', reason: 'the session is being closed' }
  if (signal.aborted || step.closed) {
    return { code: 'interrupt_pending', reason: 'the turn of this call is being stopped' }
  }
  return undefined
}
