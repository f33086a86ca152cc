import type { SessionId } from '@looprig/core'
import type { LedgerSession, Store } from '@looprig/store'
import { parseHead, type SessionStatus } from './session-head.ts'

/** One session of a list. */
export interface SessionSummary {
  readonly id: SessionId
  /** `running` means that a live process holds it. */
  readonly status: SessionStatus
  /** The store's time of its last record, in milliseconds since 1970. */
  readonly lastActiveAt: number
  readonly title: string
  /** The canonical path that it was made with; `''` without a workspace. */
  readonly workspace: string
}

/** Lists the sessions of a store that have an input, the last active first. Reads no journal and takes no lease. */
export async function listSessions(store: Store): Promise<readonly SessionSummary[]> {
  const summaries: SessionSummary[] = []
  for (const entry of await store.ledger.list()) {
    const summary = await summarize(entry, store)
    if (summary !== undefined) summaries.push(summary)
  }
  return summaries
}

async function summarize(entry: LedgerSession, store: Store): Promise<SessionSummary | undefined> {
  const head = parseHead(entry.head)
  if (head === undefined || head.title === '') return undefined
  const held = await store.leases.isHeld(entry.session)
  return {
    id: entry.session as SessionId, // proved: only `createSession` gives names, and they are session ids
    status: held ? 'running' : head.status === 'running' ? 'interrupted' : head.status,
    lastActiveAt: entry.at,
    title: head.title,
    workspace: head.workspace,
  }
}
