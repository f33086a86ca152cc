/** The one decision of an append, shared by all stores: stale writer, repeated group, taken slot, or room for it. */
import type { AppendOutcome, StoredRecord } from '../contract/ledger.ts'
import type { CheckedAppend, SizedRecord } from '../request/append-request.ts'

/** What the store knows of a session when it decides. */
export interface SessionState {
  readonly epoch: number
  readonly tip: number
}

/** A record that is there already, without its body. */
export type Slot = Pick<StoredRecord, 'seq' | 'at' | 'kind' | 'digest'>

/** A definite answer without a write, or the seq after which the group goes in. */
export type AppendDecision =
  | Exclude<AppendOutcome, { readonly outcome: 'unknown' }>
  | { readonly outcome: 'insert'; readonly after: number }

/**
 * Decides; the caller holds the session's write lock from before `state` was read until the group is in.
 *
 * @param slotOf - the record of this session with that id.
 */
export function decideAppend(
  request: CheckedAppend,
  state: SessionState,
  slotOf: (id: string) => Slot | undefined,
): AppendDecision {
  if (isFenced(request.epoch, state)) return { outcome: 'fenced' }
  const slots = request.records.map((record) => slotOf(record.id))
  if (slots.every((slot) => slot === undefined)) return { outcome: 'insert', after: state.tip }
  const repeated = repeatedGroup(request.records, slots)
  if (repeated !== undefined) return { outcome: 'ok', records: repeated }
  const taken = request.records.filter((_, index) => slots[index] !== undefined)
  return { outcome: 'slot_taken', ids: taken.map((record) => record.id) }
}

/** A writer without an epoch is no owner and fenced by none; it may only add to what an owner has begun. */
function isFenced(epoch: number | undefined, state: SessionState): boolean {
  return epoch === undefined ? state.tip === 0 : epoch !== state.epoch
}

/** The record as it is committed. */
export function stampRecord(record: SizedRecord, seq: number, at: number): StoredRecord {
  const { id, kind, body, digest } = record
  return Object.freeze({ seq, at, id, kind, body, digest })
}

/** The committed group, if the slots are this whole group with this content, in this order and without a gap. */
function repeatedGroup(
  records: readonly SizedRecord[],
  slots: readonly (Slot | undefined)[],
): readonly StoredRecord[] | undefined {
  const group: StoredRecord[] = []
  for (const [index, record] of records.entries()) {
    const slot = slots[index]
    if (slot === undefined || slot.kind !== record.kind || slot.digest !== record.digest) return undefined
    const before = group.at(-1)
    if (before !== undefined && slot.seq !== before.seq + 1) return undefined
    group.push(stampRecord(record, slot.seq, slot.at))
  }
  return group
}
