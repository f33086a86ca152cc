/** What is compared. Each subject is a file that exports `prepare`. */

/**
 * Sets up what a turn needs and returns what plays it once, streamed to one reader.
 *
 * @typedef {(turn: import('./works.mjs').Turn) => PlayTurn | Promise<PlayTurn>} Prepare
 */

/**
 * Plays the turn once: what ran, and what its readers got of it.
 *
 * With `renew`, only so many turns are measured before it is called, since what is played on grows with each.
 *
 * @typedef {(() => Promise<{calls: number, characters: number}>) & Bouts} PlayTurn
 * @typedef {{renew?: () => Promise<void>, turnsOfBout?: number}} Bouts
 */

/**
 * Plays a turn of text for one reader, which waits for `onRead` after each piece; it is told how many it has read.
 *
 * @typedef {(turn: import('./works.mjs').Turn, onRead: (read: number) => unknown) => Promise<void>} Stall
 */

/** @type {readonly string[]} */
export const subjects = ['floor', 'looprig-memory', 'looprig-sqlite', 'pi', 'ai', 'openai-agents', 'langgraph']
