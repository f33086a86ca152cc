import { deepFreeze, type EventId, isJsonObject, type Schema, type SessionId } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import { JournalError } from '../error/errors.ts'
import type { EnduringBody, EnduringEvent } from './event.ts'
import { eventRegistry, isEventType } from './registry.ts'
import { validateEvent } from './validate-event.ts'

/** The version of every stored body. */
export const bodyVersion = 1

/** Reads the text of a stored body by its schema. Unknown members are kept; a newer version is refused. */
export function decodeBody<T>(record: StoredRecord, schema: Schema<T>): T {
  return readBody(record, readJson(record), schema)
}

/** Reads a stored event's body: an object of its own, which nobody else holds. */
export function decodeEventBody(record: StoredRecord): EnduringBody {
  const json = readJson(record)
  const { type } = json
  if (typeof type !== 'string' || !isEventType(type)) {
    throw new JournalError('unknown_event', record.seq, 'an event type that this version does not know')
  }
  const traits = eventRegistry[type]
  if (traits.class === 'ephemeral') throw new JournalError('journal_invalid', record.seq, 'an ephemeral event')
  const schema: Schema<EnduringBody> = traits.schema
  const body = readBody(record, json, schema)
  checkRules(record, body)
  return body
}

/** Makes the delivered event of a journalled body. */
export function deliverEvent(sessionId: SessionId, record: StoredRecord, body: EnduringBody): EnduringEvent {
  // the body last: to add members to a spread object costs more than all the rest
  return deepFreeze(Object.assign({ type: body.type, ...envelopeOf(sessionId, record) }, body))
}

/** Reads a stored event as it was delivered. */
export function readEvent(sessionId: SessionId, record: StoredRecord): EnduringEvent {
  // the body is ours alone, so that it need not be copied
  return deepFreeze(Object.assign(decodeEventBody(record), envelopeOf(sessionId, record)))
}

function envelopeOf(sessionId: SessionId, record: StoredRecord) {
  // proved: an event's id is its record's id, an opaque text
  return { sessionId, eventId: record.id as EventId, createdAt: record.at }
}

function checkRules(record: StoredRecord, body: EnduringBody): void {
  try {
    validateEvent(body)
  } catch (cause) {
    throw new JournalError('journal_invalid', record.seq, `a ${body.type} that breaks its rules`, { cause })
  }
}

/** How the text of every body begins that this version writes. */
const ownStart = `{"v":${bodyVersion},`

/** The members of a body, without its version. */
function readJson(record: StoredRecord): { readonly [key: string]: unknown } {
  const isOwn = record.body.startsWith(ownStart)
  const json = parseText(record, isOwn ? `{${record.body.slice(ownStart.length)}` : record.body)
  if (!isJsonObject(json)) throw new JournalError('journal_invalid', record.seq, 'the body is not an object')
  if (isOwn) return json
  const { v, ...members } = json
  if (v === bodyVersion) return members
  throw new JournalError('unsupported_version', record.seq, `the body has another version than ${bodyVersion}`)
}

function parseText(record: StoredRecord, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new JournalError('journal_invalid', record.seq, 'the body is not JSON', { cause })
  }
}

function readBody<T>(record: StoredRecord, members: { readonly [key: string]: unknown }, schema: Schema<T>): T {
  const read = schema.safeParse(members)
  if (read.success) return read.data
  throw new JournalError(
    'journal_invalid',
    record.seq,
    `the body's ${read.fault.path.join('.') || 'shape'} is not valid`,
  )
}
