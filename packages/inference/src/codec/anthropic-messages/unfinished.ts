import type { AIMessage, Message } from '@looprig/core'
import type { Turn } from './arrange-turns.ts'

/** How an assistant message is encoded that the model is to go on from: there the provider is stricter. */
export interface Unfinished {
  /** Thinking at this place is refused where the request does not ask for any. */
  readonly keepThinking: boolean
}

/** Encodes the messages of the last turn anew, in place, when that turn is one to go on from. */
export function encodeUnfinished<Piece>(
  messages: readonly Message[],
  pieces: Piece[],
  turns: readonly Turn[],
  encode: (message: AIMessage) => Piece,
): void {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return
  for (const index of last.others) {
    const message = messages[index]
    if (message?.role === 'assistant') pieces[index] = encode(message)
  }
}
