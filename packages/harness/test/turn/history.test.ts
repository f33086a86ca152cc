import type { Message } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { History } from '../../src/runtime/history.ts'

const said = (text: string): Message => ({ role: 'user', blocks: [{ type: 'text', text }] })

/** A history of one message per seq. */
function historyOf(...seqs: readonly number[]): History {
  const history = new History()
  for (const seq of seqs) history.push(seq, [said(`${seq}`)])
  return history
}

const textsOf = (history: History) =>
  history.messages().map(({ blocks: [block] }) => (block?.type === 'text' ? block.text : undefined))

describe('History', () => {
  it('gives one frozen snapshot until it grows', () => {
    const history = historyOf(3)
    const before = history.messages()

    const again = history.messages()
    history.push(5, [said('5'), said('5b')])

    expect(again).toBe(before)
    expect(Object.isFrozen(before)).toBe(true)
    expect(before).toHaveLength(1)
    expect(textsOf(history)).toEqual(['3', '5', '5b'])
  })

  it('knows the seq of its last record', () => {
    expect([new History().lastSeq, historyOf(3, 8).lastSeq]).toEqual([0, 8])
  })

  it('puts a summary in the place of what came before the tail', () => {
    const history = historyOf(3, 5, 8, 9)

    history.replace(9, said('summary'), 8)

    expect(textsOf(history)).toEqual(['summary', '8', '9'])
    expect(history.lastSeq).toBe(9)
    expect(history.entries().map(({ seq }) => seq)).toEqual([7, 8, 9])
  })

  it('keeps what came after the record that the summary knows of last', () => {
    const history = historyOf(3, 5, 8)

    history.replace(5, said('summary'), 100)

    expect(textsOf(history)).toEqual(['summary', '8'])
  })

  it('replaces a summary by the next one', () => {
    const history = historyOf(3, 5)
    history.replace(5, said('first'), 5)
    history.push(9, [said('9')])

    history.replace(9, said('second'), 9)

    expect(textsOf(history)).toEqual(['second', '9'])
  })
})
