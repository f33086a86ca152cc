import type { StepScope } from '../event/step-event.ts'
import { askModel } from '../runtime/ask-model.ts'
import type { Streamed } from '../runtime/stream-step.ts'
import type { TurnHost } from '../runtime/turn-host.ts'
import type { TurnRequests } from '../runtime/turn-requests.ts'
import { untilAborted } from '../runtime/until-aborted.ts'

/**
 * Sends the next request of a turn. When the provider refuses it as longer than the model's window, the context is
 * compacted, if it can be, and the request is sent once more.
 */
export function askWithinWindow(host: TurnHost, scope: StepScope, requests: TurnRequests): Promise<Streamed> {
  const { recover } = host
  const streamed = askModel(host, scope, requests.next())
  return recover === undefined ? streamed : askAgain(host, scope, requests, streamed, recover)
}

async function askAgain(
  host: TurnHost,
  scope: StepScope,
  requests: TurnRequests,
  first: Promise<Streamed>,
  recover: NonNullable<TurnHost['recover']>,
): Promise<Streamed> {
  const streamed = await first
  if (!isOverflow(streamed)) return streamed
  const isShorter = await untilAborted(
    recover(() => requests.next()),
    host.signal,
  )
  if (host.signal.aborted) return { outcome: 'interrupted', kept: undefined }
  return isShorter === true ? askModel(host, scope, requests.next()) : streamed
}

function isOverflow(streamed: Streamed): boolean {
  return streamed.outcome === 'failed' && streamed.kept === undefined && streamed.error.code === 'context_overflow'
}
