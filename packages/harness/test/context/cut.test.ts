import type { Message } from '@looprig/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutHistory, messagesOf } from '../../src/context/cut.ts'
import { summaryMessage } from '../../src/context/summary-prompt.ts'
import { History, type HistoryEntry } from '../../src/runtime/history.ts'
import { transcriptFault } from '../../src/testing/transcript-fault.ts'
import { answered, called, entriesOf, histories, said } from './histories.ts'

const summary = summaryMessage({ goal: 'g', constraints: '', decisions: '', state: 's', open_items: '' })
const many = Number.MAX_SAFE_INTEGER

describe('cutHistory', () => {
  it('leaves no call without its results and no result without its call, at every boundary of any history (B8)', () => {
    fc.assert(
      fc.property(
        histories,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 400 }),
        (entries, segments, tokens) => {
          for (let end = 1; end <= entries.length; end += 1) {
            const boundary = entries.slice(0, end)
            const cut = cutHistory(boundary, { segments, tokens })
            if (cut === undefined) continue
            const next = [summary, ...messagesOf(cut.tail)]
            expect(faultBeforeAnswer(next)).toBeUndefined()
            expect([...cut.head, ...cut.tail]).toEqual(boundary)
          }
        },
      ),
    )
  })

  it('leaves no orphan when what is kept of a compaction is compacted again', () => {
    fc.assert(
      fc.property(histories, fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 6 }), (entries, keeps) => {
        const history = new History()
        let at = 0
        for (const segments of keeps) {
          for (const { seq, messages } of entries.slice(at, at + 5)) history.push(seq, messages)
          at += 5
          const cut = cutHistory(history.entries(), { segments, tokens: many })
          if (cut !== undefined) history.replace(history.lastSeq, summary, cut.tailFrom)
          if (history.entries().length > 0) expect(faultBeforeAnswer(history.messages())).toBeUndefined()
          expect(history.entries().filter(({ isSummary }) => isSummary === true).length).toBeLessThan(2)
        }
      }),
    )
  })

  it('keeps the newest segment, however large', () => {
    const entries = entriesOf([said('a'), answered('b'), said('x'.repeat(100_000)), called(['1'])])

    expect(cutHistory(entries, { segments: 5, tokens: 1 })?.tailFrom).toBe(7)
  })

  it('keeps as many segments as it may', () => {
    const entries = entriesOf([said('a'), answered('b'), said('c'), answered('d'), said('e'), answered('f')])

    expect(cutHistory(entries, { segments: 2, tokens: many })?.tail).toEqual(entries.slice(2))
  })

  it('keeps older segments only while they fit', () => {
    const entries = entriesOf([said('a'), answered('b'), said('c'), answered('d'.repeat(400)), said('e')])

    expect(cutHistory(entries, { segments: 9, tokens: 60 })?.tail).toEqual(entries.slice(4))
  })

  it('begins a segment at a folded input', () => {
    const entries = entriesOf([said('a'), called(['1']), said('folded'), called(['2'])])

    expect(cutHistory(entries, { segments: 1, tokens: many })?.tailFrom).toBe(7)
  })

  it('begins no segment at a user message that carries a result (B10)', () => {
    const mixed: Message = {
      role: 'user',
      blocks: [
        { type: 'tool_result', toolUseId: '2', content: [{ type: 'text', text: 'r' }], isError: false },
        { type: 'text', text: 'and now this' },
      ],
    }
    const entries = entriesOf([said('a'), answered('b'), said('c'), called(['2']), [mixed], answered('d')])

    expect(cutHistory(entries, { segments: 1, tokens: many })?.tailFrom).toBe(7)
  })

  it('counts an image by its place, not by its bytes', () => {
    const picture: Message = {
      role: 'user',
      blocks: [{ type: 'image', mediaType: 'image/png', data: 'A'.repeat(4_000_000) }],
    }
    const entries = entriesOf([said('a'.repeat(9_000)), answered('b'), [picture], answered('c'), said('d')])

    expect(cutHistory(entries, { segments: 9, tokens: 3_000 })?.tailFrom).toBe(7)
  })

  it.each([
    ['nothing', []],
    ['one segment', entriesOf([said('a'), called(['1']), answered('b')])],
    ['a summary and one segment', [{ seq: 9, messages: [summary], isSummary: true }, ...entriesOf([said('a')], 11)]],
    ['a summary alone', [{ seq: 9, messages: [summary], isSummary: true }]],
  ] satisfies [string, readonly HistoryEntry[]][])('finds nothing to summarise in %s', (_, entries) => {
    expect(cutHistory(entries, { segments: 1, tokens: many })).toBeUndefined()
  })

  it('keeps the blocks of the tail as they are (B11)', () => {
    const entries = entriesOf([said('a'), answered('b'), said('c'), called(['1', '2'])])
    const history = new History()
    for (const { seq, messages } of entries) history.push(seq, messages)
    const cut = cutHistory(history.entries(), { segments: 1, tokens: many })
    history.replace(history.lastSeq, summary, cut?.tailFrom ?? 0)

    expect(history.messages().slice(1)).toEqual(messagesOf(entries.slice(2)))
    expect(history.messages().at(-1)).toBe(entries.at(-1)?.messages.at(-1))
  })
})

/** What is wrong with a transcript, apart from its end: a boundary may also be behind an answer. */
function faultBeforeAnswer(messages: readonly Message[]): string | undefined {
  return transcriptFault([...messages, ...said('go on')])
}
