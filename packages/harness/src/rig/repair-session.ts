import type { SessionId } from '@looprig/core'
import type { Lease } from '@looprig/store'
import type { HandBack } from '../delegate/hand-back.ts'
import { SessionFaultedError } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import { Journal } from '../journal/journal.ts'
import { readEntry, readJournalPage } from '../journal/read-journal.ts'
import { eventDraft, inputDraft } from '../journal/record-draft.ts'
import type { SessionFold } from '../restore/session-fold.ts'
import { appendFirst } from './append-first.ts'
import type { RigParts } from './rig-parts.ts'
import type { SessionHead, SessionStatus } from './session-head.ts'

/** What a restore has to write, and where the session stands when it is written. */
export interface Repair {
  readonly events: readonly EnduringBody[]
  /** Inputs that tell loops of their agents; written behind the events. */
  readonly handBacks: readonly HandBack[]
  readonly status: SessionStatus
  /** When the session has work should its owner be lost again, in the store's time. */
  readonly wakeAt: number | null
}

/** Where a restore writes. */
export interface RepairTarget {
  readonly rig: RigParts
  readonly id: SessionId
  readonly lease: Lease
  readonly fold: SessionFold
  /** The present workspace; `''` without one. */
  readonly workspace: string
}

/** How often a repair is decided anew because others were faster: each time at least one record was there first. */
const maxDecisions = 100

/**
 * Writes all repairs in one append and folds what was written: restoring again finds nothing to do. Others may answer or
 * cancel meanwhile: then the fold catches up and the repair is decided anew, also when it is written already, since what
 * goes on was decided without them.
 *
 * @param decide - gets whether a repair was written before.
 * @throws StoreError, SessionFaultedError, JournalError.
 */
export async function repairSession(
  target: RepairTarget,
  decide: (isWritten: boolean) => Promise<Repair>,
): Promise<void> {
  const { rig, id, lease, fold, workspace } = target
  const journal = new Journal(rig.store.ledger, lease, rig.clock)
  let isWritten = false
  for (let decisions = 1; decisions <= maxDecisions; decisions += 1) {
    const { events, handBacks, status, wakeAt } = await decide(isWritten)
    if (events.length === 0) {
      await markWake(target, wakeAt)
      return
    }
    const head: SessionHead = { v: 1, workspace, title: fold.title, status }
    const inputs = handBacks.map(({ inputId, body }) => inputDraft(inputId, body))
    const drafts = [...events.map((event) => eventDraft(event, rig.ids)), ...inputs]
    const answer = await appendFirst(journal, drafts, { head: JSON.stringify(head), wakeAt, seen: fold.tip })
    const records = answer.outcome === 'ok' ? answer.records : []
    const isBehind = await catchUp(target, records[0]?.seq)
    for (const record of records) fold.take(readEntry(id, record))
    isWritten ||= records.length > 0
    if (records.length > 0 && !isBehind) return
  }
  throw new SessionFaultedError('slot_taken')
}

/** Sets when the session has work, where nothing else has to be written: what an earlier wake was for may be done. */
async function markWake({ rig, id, lease, fold }: RepairTarget, wakeAt: number | null): Promise<void> {
  const known = (await rig.store.ledger.find(id))?.wakeAt ?? null
  if (known === wakeAt) return
  await appendFirst(new Journal(rig.store.ledger, lease, rig.clock), [], { wakeAt, seen: fold.tip })
}

/** Folds what others appended before `end`; says whether there was anything. */
async function catchUp({ rig, id, fold }: RepairTarget, end = Number.POSITIVE_INFINITY): Promise<boolean> {
  const { tip } = fold
  while (fold.tip + 1 < end) {
    const page = await readJournalPage(rig.store.ledger, id, fold.tip)
    const entries = page.filter(({ record }) => record.seq < end)
    if (entries.length === 0) break
    for (const entry of entries) fold.take(entry)
  }
  return fold.tip > tip
}
