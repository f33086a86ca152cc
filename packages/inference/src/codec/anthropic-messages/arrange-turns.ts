/** One encoded message, as far as its place in the conversation goes. */
export interface Placed {
  readonly place: 'system' | 'user' | 'result' | 'assistant'
  /** Empty: it has no place. */
  readonly parts: string
  readonly toolUseId?: string
  readonly callIds?: readonly string[]
}

/** Messages that become one on the wire, as positions in the list that they came from. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  /** In the order of the calls that they answer. */
  results: readonly number[]
  readonly others: number[]
}

/**
 * Puts messages into turns: neighbours of one role are one turn, and the results of a step stand first in theirs, in
 * call order, since the provider refuses any other order. System messages stand above and are left out here.
 *
 * @param turns - those of the first `from` messages, to which the others are added; another role comes after them.
 */
export function arrangeTurns(pieces: readonly Placed[], turns: Turn[], from: number): void {
  const settled = turns.length
  let last: { readonly role: Turn['role']; results: number[]; readonly others: number[] } | undefined
  for (let index = from; index < pieces.length; index += 1) {
    const piece = pieces[index]
    if (piece === undefined || piece.parts === '' || piece.place === 'system') continue
    const role = piece.place === 'assistant' ? 'assistant' : 'user'
    if (last?.role !== role) {
      last = { role, results: [], others: [] }
      turns.push(last)
    }
    if (piece.place === 'result') last.results.push(index)
    else last.others.push(index)
  }
  for (let at = settled; at < turns.length; at += 1) {
    const turn = turns[at]
    if (turn !== undefined && turn.results.length > 1) turn.results = inCallOrder(turn.results, turns[at - 1], pieces)
  }
}

function inCallOrder(
  results: readonly number[],
  asked: Turn | undefined,
  pieces: readonly Placed[],
): readonly number[] {
  const calls = asked?.others.flatMap((index) => pieces[index]?.callIds ?? []) ?? []
  const isInOrder = results.every((index, position) => pieces[index]?.toolUseId === calls[position])
  if (isInOrder) return results
  const rankOf = (index: number) => {
    const rank = calls.indexOf(pieces[index]?.toolUseId ?? '')
    return rank === -1 ? calls.length : rank
  }
  return results.toSorted((a, b) => rankOf(a) - rankOf(b))
}
