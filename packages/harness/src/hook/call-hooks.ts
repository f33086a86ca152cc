import type { ErrorInfo } from '../error/errors.ts'
import type { GateResolved } from '../event/gate-event.ts'
import type { OpenStep } from '../runtime/open-step.ts'
import type { RunnableCall, StepCall } from '../runtime/step-call.ts'
import type { TurnHost } from '../runtime/turn-host.ts'
import type { HookOutcome } from './hooks.ts'
import { toolCallSubject } from './tool-call-subject.ts'

/** Begins the `tool_call` operation of a prepared call. Returns why its guards deny it. */
export async function admitCall(host: TurnHost, step: OpenStep, call: RunnableCall): Promise<ErrorInfo | undefined> {
  const subject = () => toolCallSubject(host.hooks.scope, step.scope, call)
  call.endHooks = host.hooks.begin('tool_call', subject)
  return host.hooks.refusal('tool_call', subject, host.signal)
}

/** Ends what hooks were told of the calls and gates of a step that is closed or parked. Safe to call again. */
export function endCallHooks(step: OpenStep): void {
  for (const call of step.calls) {
    call.gate?.endHooks?.('interrupted')
    call.endHooks?.(outcomeOf(call))
  }
}

/** How the wait at a gate ended. */
export function gateOutcome({ reason, action }: Pick<GateResolved, 'reason' | 'action'>): HookOutcome {
  if (reason === 'abandoned') return 'interrupted'
  const isDenied = action === 'deny' || reason === 'denied' || reason === 'timeout'
  return isDenied ? 'denied' : 'completed'
}

const denials: readonly (string | undefined)[] = ['denied', 'guard_failed', 'permission_denied']

function outcomeOf({ result }: StepCall): HookOutcome {
  if (result === undefined) return 'interrupted'
  if (denials.includes(result.code)) return 'denied'
  return result.message.isError ? 'failed' : 'completed'
}
