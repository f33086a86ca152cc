import { digestRecord, type NewRecord } from '@looprig/store'
import { bodyVersion } from '../event/event-codec.ts'
import type { RecordDraft } from './record-draft.ts'

/** Makes a record's text and digest. The same draft always gives the same text: a group that is sent again is equal. */
export function encodeRecord({ id, kind, body }: RecordDraft): NewRecord {
  // the same text as of `{ v, ...body }`, without a copy of the body
  const rest = JSON.stringify(body).slice(1)
  const text = `{"v":${bodyVersion}${rest === '}' ? '' : ','}${rest}`
  return digestRecord({ id, kind, body: text })
}
