import type { SessionId } from '@looprig/core'
import type { Ledger } from '@looprig/store'
import { SessionFaultedError } from '../error/errors.ts'
import type { SessionLog } from './session-log.ts'

/** What is followed, for whom, and until when. */
export interface FollowedJournal {
  readonly ledger: Ledger
  readonly sessionId: SessionId
  readonly log: SessionLog
  readonly signal: AbortSignal
}

/** Has a session take what other processes append. When that cannot be seen any more, the session faults. */
export function followJournal(followed: FollowedJournal): void {
  const { log, signal } = followed
  follow(followed).catch((error: unknown) => {
    // what others say would not be heard any more
    if (!signal.aborted) log.fail(new SessionFaultedError('store_failed', { cause: error }))
  })
}

async function follow({ ledger, sessionId, log, signal }: FollowedJournal): Promise<void> {
  for await (const tip of ledger.watch({ session: sessionId, after: log.tip, signal })) await log.catchUp(tip)
  if (!signal.aborted) throw new TypeError('a watch of the store ended by itself')
}
