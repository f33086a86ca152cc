import type { SessionId } from '@looprig/core'
import type { StoredRecord } from '@looprig/store'
import { newRecord } from '@looprig/store/testing'
import { describe, expect, it } from 'vitest'
import { decodeEventBody, deliverEvent } from '../../src/event/event-codec.ts'
import { eventRegistry, JournalError } from '../../src/index.ts'
import { encodeRecord } from '../../src/journal/encode-record.ts'
import { eventDraft } from '../../src/journal/record-draft.ts'
import { countingIds } from '../../src/testing.ts'
import { goldenBodies } from './golden-bodies.ts'

const types = Object.keys(goldenBodies) as (keyof typeof goldenBodies)[]

function stored(body: string, seq = 7): StoredRecord {
  return { ...newRecord('r', body), seq, at: 1_700_000_000_000 }
}

/** Decodes a stored text and encodes it again. */
function again(body: string): string {
  return encodeRecord(eventDraft(decodeEventBody(stored(body)), countingIds())).body
}

function edit(type: keyof typeof goldenBodies, change: (body: Record<string, unknown>) => void): string {
  const body = JSON.parse(goldenBodies[type])
  change(body)
  return JSON.stringify(body)
}

function refusal(body: string): unknown {
  try {
    return decodeEventBody(stored(body))
  } catch (error) {
    return error
  }
}

describe('decodeEventBody', () => {
  it('has a golden body for every enduring type', () => {
    const enduring = Object.entries(eventRegistry).filter(([, traits]) => traits.class === 'enduring')

    expect(types.toSorted()).toEqual(enduring.map(([type]) => type).toSorted())
  })

  it.each(types)('reads %s and writes the same JSON again', (type) => {
    const { v: _, ...body } = JSON.parse(goldenBodies[type])

    expect(decodeEventBody(stored(goldenBodies[type]))).toEqual(body)
    expect(JSON.parse(again(goldenBodies[type]))).toEqual({ v: 1, ...body })
  })

  it.each(types)('comes to a fixed text for %s', (type) => {
    const once = again(goldenBodies[type])

    expect(again(once)).toBe(once)
  })

  it.each(types)('keeps members of %s that it does not know, also deep inside', (type) => {
    const body = edit(type, function grow(node: Record<string, unknown>) {
      for (const value of Object.values(node)) {
        if (typeof value === 'object' && value !== null) grow(value as Record<string, unknown>)
      }
      if (!Array.isArray(node)) node.later = { kept: true }
    })

    expect(JSON.parse(again(body))).toEqual(JSON.parse(body))
  })

  it.each(types)('refuses %s without one of its members', (type) => {
    const optional = new Set(['type', 'v', 'action', 'by'])
    // a process may have ended before it started
    const ofProcess =
      type !== 'ProcessStarted' && type !== 'ProcessBackgrounded' ? ['processStartedAt', 'diagnostic'] : []
    for (const member of ofProcess) optional.add(member)
    for (const member of Object.keys(JSON.parse(goldenBodies[type]))) {
      if (optional.has(member)) continue
      const error = refusal(edit(type, (body) => delete body[member]))

      expect(error, member).toBeInstanceOf(JournalError)
      expect(error).toMatchObject({ code: 'journal_invalid', seq: 7 })
    }
  })

  it.each([
    ['a type that it does not know', '{"v":1,"type":"Later"}', 'unknown_event'],
    ['a member of Object.prototype as type', '{"v":1,"type":"toString"}', 'unknown_event'],
    ['no type', '{"v":1}', 'unknown_event'],
    ['an ephemeral type', '{"v":1,"type":"TokenDelta"}', 'journal_invalid'],
    ['a newer version', '{"v":2,"type":"SessionIdle"}', 'unsupported_version'],
    ['no version', '{"type":"SessionIdle"}', 'unsupported_version'],
    ['text that is no JSON', '{"v":1,', 'journal_invalid'],
    ['a list', '[]', 'journal_invalid'],
    ['null', 'null', 'journal_invalid'],
  ])('refuses %s', (_, body, code) => {
    const error = refusal(body)

    expect(error).toBeInstanceOf(JournalError)
    expect(error).toMatchObject({ code, seq: 7 })
  })

  it('refuses a StepDone of another shape, and names the record', () => {
    const error = refusal(edit('StepDone', (body) => (body.messages as unknown[]).pop()))

    expect(error).toBeInstanceOf(JournalError)
    expect(error).toMatchObject({ code: 'journal_invalid', seq: 7, cause: { code: 'event_invalid' } })
  })

  it('takes the four reasons of a cancelled input, and no other', () => {
    const reading = (reason: string) => refusal(edit('InputCancelled', (body) => Object.assign(body, { reason })))

    for (const reason of ['client_retracted', 'turn_failed', 'turn_interrupted', 'session_stopped']) {
      expect(reading(reason)).toMatchObject({ type: 'InputCancelled', reason })
    }
    expect(reading('turn_done')).toMatchObject({ code: 'journal_invalid', seq: 7 })
  })

  it('takes the three reasons of a rejected input, and no other', () => {
    const reading = (reason: string) => refusal(edit('TurnRejected', (body) => Object.assign(body, { reason })))

    for (const reason of ['queue_full', 'denied', 'input_invalid']) {
      expect(reading(reason)).toMatchObject({ type: 'TurnRejected', reason })
    }
    expect(reading('shutting_down')).toMatchObject({ code: 'journal_invalid', seq: 7 })
  })

  it.each(['../x', 'A0000000-0000-7000-8000-000000000001', ''])('refuses %j as an id', (id) => {
    const error = refusal(edit('LoopIdle', (body) => Object.assign(body, { loopId: id })))

    expect(error).toMatchObject({ code: 'journal_invalid', message: "record 7: the body's loopId is not valid" })
  })

  it('repeats nothing of a body in its errors', () => {
    const sentinel = 'sentinel-3f9a'
    const bodies = [
      `{"v":1,"type":"${sentinel}"}`,
      `{"v":1,"type":"SessionIdle","${sentinel}`,
      edit('TurnFailed', (body) => Object.assign(body, { error: sentinel })),
      edit('TurnStarted', (body) => Object.assign(body, { turnIndex: sentinel })),
    ]

    for (const body of bodies) {
      const error = refusal(body)
      expect(error).toBeInstanceOf(JournalError)
      expect(String(error)).not.toContain(sentinel)
    }
  })
})

describe('deliverEvent', () => {
  it('adds session, record id and time, and freezes all of it', () => {
    const record = { ...stored(goldenBodies.StepDone), id: 'step/x/end' }

    const event = deliverEvent('s' as SessionId, record, decodeEventBody(record))

    expect(event).toMatchObject({ sessionId: 's', eventId: 'step/x/end', createdAt: 1_700_000_000_000 })
    expect(event).not.toHaveProperty('v')
    expect(Object.isFrozen(event.type === 'StepDone' && event.messages[0].blocks)).toBe(true)
  })
})
