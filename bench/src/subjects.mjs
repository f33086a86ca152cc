/** What is compared. Each subject is a file that exports `prepare`. */

/**
 * Sets up what a turn needs and returns what plays it once, streamed to one reader.
 *
 * @typedef {(turn: import('./works.mjs').Turn) => PlayTurn | Promise<PlayTurn>} Prepare
 */

/**
 * Plays the turn once: what ran, and what the reader got of the answer.
 *
 * @typedef {() => Promise<{calls: number, characters: number}>} PlayTurn
 */

/** @type {readonly string[]} */
export const subjects = ['floor', 'looprig-memory', 'looprig-sqlite', 'pi', 'ai', 'openai-agents', 'langgraph']
