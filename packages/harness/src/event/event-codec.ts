import { deepFreeze, type EventId, isJsonObject, type SessionId } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import type { z } from 'zod'
import { JournalError } from '../error/errors.ts'
import type { EnduringBody, EnduringEvent } from './event.ts'
import { eventRegistry, isEventType } from './registry.ts'
import { validateEvent } from './validate-event.ts'

/** The version of every stored body. */
export const bodyVersion = 1

/** Reads the text of a stored body by its schema. Unknown members are kept; a newer version is refused. */
export function decodeBody<T>(record: StoredRecord, schema: z.ZodType<T>): T {
  return parseBody(record, readJson(record), schema)
}

/** Reads a stored event's body. */
export function decodeEventBody(record: StoredRecord): EnduringBody {
  const json = readJson(record)
  const { type } = json
  if (typeof type !== 'string' || !isEventType(type)) {
    throw new JournalError('unknown_event', record.seq, 'an event type that this version does not know')
  }
  const traits = eventRegistry[type]
  if (traits.class === 'ephemeral') throw new JournalError('journal_invalid', record.seq, 'an ephemeral event')
  const body: EnduringBody = parseBody(record, json, traits.schema as z.ZodType<EnduringBody>)
  checkRules(record, body)
  return body
}

/** Makes the delivered event of a journalled body. */
export function deliverEvent(sessionId: SessionId, record: StoredRecord, body: EnduringBody): EnduringEvent {
  // proved: an event's id is its record's id, an opaque text
  const envelope = { type: body.type, sessionId, eventId: record.id as EventId, createdAt: record.at }
  // the body last: to add members to a spread object costs more than all the rest
  return deepFreeze(Object.assign(envelope, body))
}

function checkRules(record: StoredRecord, body: EnduringBody): void {
  try {
    validateEvent(body)
  } catch (cause) {
    throw new JournalError('journal_invalid', record.seq, `a ${body.type} that breaks its rules`, { cause })
  }
}

function readJson(record: StoredRecord): { readonly [key: string]: unknown } {
  let json: unknown
  try {
    json = JSON.parse(record.body)
  } catch (cause) {
    throw new JournalError('journal_invalid', record.seq, 'the body is not JSON', { cause })
  }
  if (!isJsonObject(json)) throw new JournalError('journal_invalid', record.seq, 'the body is not an object')
  if (json.v !== bodyVersion) {
    throw new JournalError('unsupported_version', record.seq, 'the body has another version than 1')
  }
  return json
}

function parseBody<T>(record: StoredRecord, json: { readonly [key: string]: unknown }, schema: z.ZodType<T>): T {
  const { v: _, ...fields } = json
  const parsed = schema.safeParse(fields)
  if (parsed.success) return parsed.data
  const path = parsed.error.issues[0]?.path.map(String).join('.') ?? ''
  throw new JournalError('journal_invalid', record.seq, `the body's ${path || 'shape'} is not valid`)
}
