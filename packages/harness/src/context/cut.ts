import type { Message } from '@looprig/core'
import type { HistoryEntry } from '../runtime/history.ts'
import { roughTokens } from './rough-size.ts'

/** A history in two: what a summary replaces, and what stays as it is. */
export interface Cut {
  readonly head: readonly HistoryEntry[]
  readonly tail: readonly HistoryEntry[]
  /** The seq of the first record of the tail. */
  readonly tailFrom: number
}

/**
 * Cuts a history before one of its newest segments. The newest one is always kept; older ones while there are at most
 * `segments` of them with at most `tokens` together. A segment begins at a user message, so a call and its results,
 * which are one record inside of it, are never parted.
 *
 * @returns nothing when there is nothing to summarise: no older segment, or an earlier summary alone.
 */
export function cutHistory(
  entries: readonly HistoryEntry[],
  keep: { readonly segments: number; readonly tokens: number },
): Cut | undefined {
  let start: number | undefined
  let kept = 0
  let tokens = 0
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index]
    if (entry === undefined || entry.isSummary === true) break
    tokens += roughTokens(entry.messages)
    if (start !== undefined && tokens > keep.tokens) break
    if (!beginsSegment(entry)) continue
    start = index
    kept += 1
    if (kept >= keep.segments) break
  }
  const first = start === undefined ? undefined : entries[start]
  if (start === undefined || first === undefined) return undefined
  const head = entries.slice(0, start)
  if (head.every((entry) => entry.isSummary === true)) return undefined
  return { head, tail: entries.slice(start), tailFrom: first.seq }
}

/** A user message that carries a result belongs to the call before it. */
function beginsSegment({ messages: [first] }: HistoryEntry): boolean {
  return first?.role === 'user' && !first.blocks.some((block) => block.type === 'tool_result')
}

/** The messages of entries, in order. */
export function messagesOf(entries: readonly HistoryEntry[]): readonly Message[] {
  return entries.flatMap((entry) => entry.messages)
}
