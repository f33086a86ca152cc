/** A hub with the journal behind it, as a session has them, without a model. */
import type { LoopId, SessionId, StepId, TurnId } from '@looprig/core'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { systemClock } from '../../src/clock/clock.ts'
import type { Delivery } from '../../src/event/event.ts'
import { Hub } from '../../src/hub/hub.ts'
import { Journal } from '../../src/journal/journal.ts'
import { eventDraft } from '../../src/journal/record-draft.ts'
import { SessionLog } from '../../src/session/session-log.ts'
import { countingIds } from '../../src/testing.ts'

export const sessionId = '00000000-0000-7000-8000-00000000aaaa' as SessionId
export const loopId = '00000000-0000-7000-8000-00000000bbbb' as LoopId
const scope = { loopId, turnId: sessionId as string as TurnId, stepId: sessionId as string as StepId }

/** Opens an empty journal in `store`. */
export async function openHub(store: Store = memoryStore()) {
  const lease = await store.leases.acquire(sessionId)
  const hub = new Hub(sessionId, store.ledger, 0)
  const head = { v: 1, workspace: '', title: '', status: 'idle' } as const
  const log = new SessionLog({
    sessionId,
    ledger: store.ledger,
    journal: new Journal(store.ledger, lease, systemClock),
    hub,
    head,
    tip: 0,
    foreign: { take: () => undefined, taken: () => undefined, head: () => ({}) },
    onFault: () => undefined,
  })
  const ids = countingIds()
  return {
    hub,
    log,
    /** Journals and delivers `count` events in one append. */
    append: (count = 1) =>
      log.commit(() => ({
        records: Array.from({ length: count }, (_, index) =>
          eventDraft(index % 2 === 0 ? { type: 'SessionActive' } : { type: 'LoopIdle', loopId }, ids),
        ),
      })),
    /** Delivers ephemeral events. */
    emit: (count = 1) => {
      for (let at = 0; at < count; at += 1) hub.emit({ type: 'TokenDelta', ...scope, blockIndex: 0, text: `${at}` })
    },
  }
}

/** Reads `count` deliveries, or fewer when it ends before. */
export async function take(subscription: AsyncIterator<Delivery>, count: number): Promise<Delivery[]> {
  const taken: Delivery[] = []
  while (taken.length < count) {
    const { done, value } = await subscription.next()
    if (done === true) break
    taken.push(value)
  }
  return taken
}

/** The seqs of deliveries. */
export function seqs(deliveries: readonly Delivery[]): (number | null)[] {
  return deliveries.map((delivery) => delivery.seq)
}

/** 1 to `last`, or from `first`. */
export function upTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
