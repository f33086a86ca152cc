import type { SessionId } from '@looprig/core'
import type { Store } from '@looprig/store'
import { parseHead } from './session-head.ts'

/** Lists the sessions of a store that have work and no owner, the longest due first. Takes no lease. */
export async function dueSessions({ ledger, leases }: Store): Promise<readonly SessionId[]> {
  const now = await ledger.now()
  const due = (await ledger.list()).flatMap(({ session, wakeAt, head }) => {
    const isDue = wakeAt !== undefined && wakeAt <= now
    // what other processes wrote too late is no work
    return isDue && parseHead(head)?.status !== 'stopped' ? [{ session, wakeAt }] : []
  })
  const free: SessionId[] = []
  for (const { session } of due.toSorted((a, b) => a.wakeAt - b.wakeAt)) {
    // proved: only `createSession` gives names, and they are session ids
    if (!(await leases.isHeld(session))) free.push(session as SessionId)
  }
  return free
}
