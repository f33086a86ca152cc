import { digestRecord, type NewRecord } from '@looprig/store'
import { bodyVersion } from '../event/event-codec.ts'
import type { RecordDraft } from './record-draft.ts'

/** Makes a record's text and digest. The same draft always gives the same text: a group that is sent again is equal. */
export function encodeRecord({ id, kind, body }: RecordDraft): NewRecord {
  return digestRecord({ id, kind, body: JSON.stringify({ v: bodyVersion, ...body }) })
}
