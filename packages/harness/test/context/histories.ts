/** Histories for tests of the context: random ones, and the parts that they are made of. */
import type { AIMessage, Message, ToolResultMessage, Usage, UserMessage } from '@looprig/core'
import { userMessage } from '@looprig/core'
import fc from 'fast-check'
import type { HistoryEntry } from '../../src/runtime/history.ts'

/** A user message of one text. */
export function said(text: string): readonly [UserMessage] {
  return [userMessage(text)]
}

/** A step without calls. */
export function answered(text: string, usage?: Usage): readonly [AIMessage] {
  return [{ role: 'assistant', blocks: [{ type: 'text', text }], ...(usage === undefined ? {} : { usage }) }]
}

/** A step with one call per id, and their results. */
export function called(ids: readonly string[], result = 'found'): readonly Message[] {
  const calls = ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: { path: 'a' } }) as const)
  const thinking = { type: 'thinking', text: 'hm', seal: { format: 'f', signature: 's' } } as const
  return [
    { role: 'assistant', blocks: [thinking, ...calls] },
    ...ids.map(
      (id): ToolResultMessage => ({
        role: 'tool',
        toolUseId: id,
        isError: false,
        blocks: [{ type: 'text', text: result }],
      }),
    ),
  ]
}

/** Numbers records as a journal does: growing, with gaps. */
export function entriesOf(records: readonly (readonly Message[])[], firstSeq = 3): readonly HistoryEntry[] {
  return records.map((messages, index) => ({ seq: firstSeq + index * 2, messages }))
}

type Piece = 'turn' | 'fold' | 'calls' | 'answer' | 'cut-off'

/** Random histories as sessions make them: turns, folded inputs, steps with calls, interrupts, failed turns. */
export const histories: fc.Arbitrary<readonly HistoryEntry[]> = fc
  .array(fc.constantFrom<Piece>('turn', 'turn', 'fold', 'calls', 'calls', 'answer', 'cut-off'), { maxLength: 24 })
  .map((pieces) => entriesOf(legal([said('begin'), ...pieces.map(recordOf)])))

function recordOf(piece: Piece, index: number): readonly Message[] {
  switch (piece) {
    case 'turn':
    case 'fold':
      return said(`${piece} ${index}`)
    case 'calls':
      return called([`a${index}`, `b${index}`])
    case 'answer':
      return answered(`answer ${index}`)
    case 'cut-off':
      return answered(`answ [The answer was interrupted here.] ${index}`)
  }
}

/** A step never follows a final answer: an input is between them. */
function legal(records: readonly (readonly Message[])[]): readonly (readonly Message[])[] {
  const taken: (readonly Message[])[] = []
  for (const messages of records) {
    const isStep = messages[0]?.role === 'assistant'
    if (!isStep || taken.at(-1)?.at(-1)?.role !== 'assistant') taken.push(messages)
  }
  return taken
}
