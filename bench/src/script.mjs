/** What the scripted model says in every subject, so that all of them do the same work. */
import { setImmediate } from 'node:timers/promises'

export const instructions = 'Be brief.'
export const question = 'How much is 2 + 3?'
export const toolName = 'add'
export const toolDescription = 'Add two numbers.'
export const callInput = { a: 2, b: 3 }

/**
 * The arguments of a call as they come.
 *
 * @param {import('./works.mjs').Turn} turn
 * @returns {readonly string[]}
 */
export function rawInputPieces({ argumentPieces }) {
  if (argumentPieces === 1) return [JSON.stringify(callInput)]
  return ['{"a":2,"b":3,"note":"', ...Array.from({ length: argumentPieces - 2 }, () => delta), '"}']
}

/** One message of a long conversation: 200 bytes. */
export const earlierText = 'A sentence of forty characters, counted.'.repeat(5)

/** One piece of streamed text. */
export const delta = 'words'

/** Pieces that come at once, as from one read of a socket; after them other work of the process has its turn. */
const burst = 50

/**
 * The tool, as each library wraps it.
 *
 * @param {{a: number, b: number}} input
 */
export function add({ a, b }) {
  return String(a + b)
}

/**
 * Plays one turn: the ids of the calls that the model wants with each request; none at the last.
 *
 * @param {import('./works.mjs').Turn} turn
 * @returns {() => readonly string[]}
 */
export function playTurn({ steps, callsPerStep }) {
  let request = 0
  return () => {
    request += 1
    if (request > steps) return []
    return Array.from({ length: callsPerStep }, (_, index) => `call-${request}-${index}`)
  }
}

/**
 * The text of the last answer, in pieces.
 *
 * @param {number} count
 * @param {{count: number}} [produced] counts them as they are made.
 */
export async function* textDeltas(count, produced = { count: 0 }) {
  for (let sent = 0; sent < count; sent += 1) {
    if (isBurst(sent)) await nextBurst()
    produced.count += 1
    yield delta
  }
}

/** Says whether a piece comes with another read of the socket than the one before. */
export function isBurst(index) {
  return index > 0 && index % burst === 0
}

export const nextBurst = setImmediate
