/** What another process writes into the journal of a session that it does not own. */
import type { InputId, LoopId, SessionId } from '@looprig/core'
import type { AppendOutcome, Store } from '@looprig/store'
import type { EnduringBody } from '../../src/index.ts'
import { encodeRecord } from '../../src/journal/encode-record.ts'
import type { InputBody } from '../../src/journal/record-body.ts'
import { eventDraft, inputDraft, type RecordDraft } from '../../src/journal/record-draft.ts'
import { countingIds } from '../../src/testing.ts'

const ids = countingIds(900)

/** A new input id. */
export function otherId(): InputId {
  return ids.uuid() as InputId // proved: the source makes UUIDs
}

/** Appends records without the lease. */
function write(store: Store, session: SessionId, ...drafts: readonly RecordDraft[]): Promise<AppendOutcome> {
  return store.ledger.append({ session, records: drafts.map(encodeRecord) })
}

/** Hands over one input, whatever the owner's queue holds. */
export async function handOver(
  store: Store,
  session: SessionId,
  loopId: LoopId,
  input: { readonly text: string; readonly inputId?: InputId } & Partial<
    Pick<InputBody, 'agency' | 'blocks' | 'noFold'>
  >,
): Promise<InputId> {
  const { text, inputId = otherId(), agency = 'user', ...more } = input
  await write(store, session, inputDraft(inputId, { loopId, agency, blocks: [{ type: 'text', text }], ...more }))
  return inputId
}

/** Takes an input back; says whether that was first in its slot. */
export async function takeBack(store: Store, session: SessionId, loopId: LoopId, inputId: InputId): Promise<boolean> {
  const message = { role: 'user', blocks: [{ type: 'text', text: 'taken back' }] } as const
  const cancelled: EnduringBody = { type: 'InputCancelled', loopId, inputId, reason: 'client_retracted', message }
  const { outcome } = await write(store, session, eventDraft(cancelled, ids))
  return outcome === 'ok'
}
