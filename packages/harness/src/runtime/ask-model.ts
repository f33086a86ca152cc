import type { InferenceRequest } from '@looprig/inference'
import type { StepScope } from '../event/step-event.ts'
import { type Streamed, streamStep } from './stream-step.ts'
import type { TurnHost } from './turn-host.ts'

/** Sends one request, unless a guard denies it. Never throws for the model's sake. */
export function askModel(host: TurnHost, scope: StepScope, request: InferenceRequest): Promise<Streamed> {
  const isPlain = !host.hooks.isHooked('inference') && !host.signal.aborted
  return isPlain ? streamStep(host, scope, request) : askHooked(host, scope, request)
}

async function askHooked(host: TurnHost, scope: StepScope, request: InferenceRequest): Promise<Streamed> {
  const { hooks, signal } = host
  const subject = () => ({ ...hooks.scope, ...scope, request })
  const endHooks = hooks.begin('inference', subject)
  try {
    const denied = await hooks.refusal('inference', subject, signal)
    if (signal.aborted) return { outcome: 'interrupted', kept: undefined }
    if (denied !== undefined) {
      endHooks('denied')
      return { outcome: 'failed', kept: undefined, error: denied }
    }
    const streamed = await streamStep(host, scope, request)
    endHooks(streamed.outcome === 'response' ? 'completed' : streamed.outcome)
    return streamed
  } finally {
    endHooks('interrupted')
  }
}
