import type { Message } from '@looprig/core'
import type { InferenceRequest } from '../../client/request.ts'
import { GrowingText } from '../conversation/growing-text.ts'
import { SettledMessages } from '../conversation/settled-messages.ts'
import { arrangeTurns, type Placed, type Turn } from './arrange-turns.ts'

/** The first turns of a conversation, as they will stay. */
interface Beginning<Piece> {
  /** Those of the request that is written now stand behind, until the next one. */
  readonly pieces: Piece[]
  readonly turns: Turn[]
  readonly notable: Piece[]
  readonly text: GrowingText
  /** How many of the turns are settled. */
  turnCount: number
}

/** The messages of one request, encoded and put into turns. Good until the next request. */
export interface Arranged<Piece> {
  /** One for each message of the request. */
  readonly pieces: Piece[]
  readonly turns: readonly Turn[]
  /** Those that are more than text of a turn, in their order; new ones are all among them. */
  readonly notable: readonly Piece[]
}

/** Remembers the turns of conversations whose text will not change any more, so that a request pays for its new ones. */
export class SettledTurns<Piece extends Placed> {
  readonly #isNotable: (piece: Piece) => boolean
  readonly #settled = new SettledMessages<Beginning<Piece>>(() => ({
    pieces: [],
    turns: [],
    notable: [],
    text: new GrowingText(),
    turnCount: 0,
  }))

  /** @param isNotable - whether more than the text of a piece matters: where it goes, or what it asks of a model. */
  constructor(isNotable: (piece: Piece) => boolean) {
    this.#isNotable = isNotable
  }

  /** @param encode - encodes the messages that are not settled, knowing the notable ones before. */
  arrange(
    messages: readonly Message[],
    encode: (messages: readonly Message[], notable: readonly Piece[]) => Piece[],
  ): Arranged<Piece> {
    const { messages: settled, state } = this.#settled.of(messages, messages.length)
    const { pieces, turns, notable, turnCount } = state
    const rest = encode(messages.slice(settled.length), notable)
    pieces.length = settled.length
    pieces.push(...rest)
    turns.length = turnCount
    arrangeTurns(pieces, turns, settled.length)
    return { pieces, turns, notable: [...notable, ...rest] }
  }

  /**
   * Gives the text of all turns.
   *
   * @param points - the messages that carry a cache marker, which go on without it in a later request.
   */
  text(
    { messages, transientMessages = 0 }: InferenceRequest,
    { pieces, turns }: Arranged<Piece>,
    points: ReadonlySet<number> | undefined,
    write: (turn: Turn, at: number) => string,
  ): string {
    const most = Math.min(messages.length - transientMessages, ...(points ?? []))
    const settled = this.#settled.of(messages, most)
    const { state } = settled
    // an answer of the model begins another turn than what stands before it, whatever follows
    const end = turns.findLastIndex(({ role, others }) => role === 'assistant' && (others[0] ?? most) < most)
    const first = turns[end]?.others[0] ?? 0
    for (; state.turnCount < end; state.turnCount += 1) {
      const turn = turns[state.turnCount]
      if (turn !== undefined) state.text.add(write(turn, state.turnCount))
    }
    for (const piece of pieces.slice(settled.messages.length, first))
      if (this.#isNotable(piece)) state.notable.push(piece)
    settled.messages.push(...messages.slice(settled.messages.length, first))
    if (state.turns !== turns) {
      state.pieces.push(...pieces)
      state.turns.push(...turns)
    }
    return state.text.followedBy(turns.slice(state.turnCount).map((turn, at) => write(turn, state.turnCount + at)))
  }
}
