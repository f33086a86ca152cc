/** What is measured per unit of work. Each work is one turn of a conversation, streamed to its readers. */

import { subjects } from './subjects.mjs'

/**
 * @typedef {object} Turn one question, its tool steps, and the answer.
 * @property {number} steps model responses with tool calls.
 * @property {number} callsPerStep
 * @property {number} argumentPieces pieces in which the arguments of a call come; from 2 on they hold a long text.
 * @property {boolean} hasEffect the tool is one with effects, which configured access allows; no peer tells them apart.
 * @property {number} deltas pieces of text of the answer.
 * @property {number} readers who follow the turn.
 * @property {number} earlier messages of 200 bytes before the question, from both sides in turn.
 * @property {{count: number}} [produced] counts the pieces of text that the model made.
 */

/**
 * @typedef {object} Work
 * @property {string} id
 * @property {string} title
 * @property {number} units what the cost is divided by.
 * @property {Turn} turn
 * @property {readonly string[]} [only] the subjects that do it; absent: all.
 */

/** Those that take milliseconds per step are left out where a turn is long. */
const quickOnes = ['floor', 'looprig-memory', 'looprig-sqlite', 'pi']

/** @type {Turn} */
const shortTurn = {
  steps: 0,
  callsPerStep: 0,
  argumentPieces: 1,
  hasEffect: false,
  deltas: 1,
  readers: 1,
  earlier: 0,
}

/** @type {readonly Work[]} */
export const works = [
  toolSteps('steps-25', 'tool step of 25', 25),
  toolSteps('steps-100', 'tool step of 100', 100),
  { ...toolSteps('steps-400', 'tool step of 400', 400), only: [...quickOnes, 'ai'] },
  { ...toolSteps('steps-2000', 'tool step of 2,000', 2_000), only: quickOnes },
  toolSteps('effects', 'step of 100 with an allowed effect', 100, { hasEffect: true }),
  {
    ...toolSteps('history', 'tool step of 25 after 2,000 messages', 25, { earlier: 2_000 }),
    // to write them to disk, time and again, takes too long
    only: subjects.filter((subject) => subject !== 'looprig-sqlite'),
  },
  {
    id: 'parallel',
    title: 'call, 64 in one step',
    units: 64,
    turn: { ...shortTurn, steps: 1, callsPerStep: 64 },
  },
  {
    id: 'arguments',
    title: 'argument delta of 2,000',
    units: 2_000,
    turn: { ...shortTurn, steps: 1, callsPerStep: 1, argumentPieces: 2_000 },
    only: [...quickOnes, 'ai'],
  },
  { id: 'text', title: 'text delta of 20,000', units: 20_000, turn: { ...shortTurn, deltas: 20_000 } },
  {
    id: 'fan-out',
    title: 'text delta of 20,000 to 100 readers',
    units: 20_000,
    turn: { ...shortTurn, deltas: 20_000, readers: 100 },
    only: quickOnes,
  },
]

/**
 * @param {string} id
 * @param {string} title
 * @param {number} steps
 * @param {Partial<Turn>} [more]
 * @returns {Work}
 */
function toolSteps(id, title, steps, more) {
  return { id, title, units: steps, turn: { ...shortTurn, steps, callsPerStep: 1, ...more } }
}

/**
 * The same work with fewer steps, pieces and messages; what is small stays as it is.
 *
 * @param {Work} work
 * @param {number} scale
 * @returns {Work}
 */
export function scaled(work, scale) {
  const less = (count) => (count > 10 ? Math.max(10, Math.ceil(count / scale)) : count)
  const { turn } = work
  return {
    ...work,
    units: less(work.units),
    turn: {
      ...turn,
      steps: less(turn.steps),
      callsPerStep: less(turn.callsPerStep),
      argumentPieces: less(turn.argumentPieces),
      deltas: less(turn.deltas),
      readers: less(turn.readers),
      earlier: less(turn.earlier),
    },
  }
}
