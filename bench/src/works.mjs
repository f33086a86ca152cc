/** What is measured. Each work is one turn of a conversation, streamed to one reader. */

/**
 * @typedef {object} Turn one question, its tool steps, and the answer.
 * @property {number} steps model responses with tool calls.
 * @property {number} callsPerStep
 * @property {number} deltas pieces of text of the answer.
 * @property {number} earlier messages of 200 bytes before the question, from both sides in turn.
 */

/**
 * @typedef {object} Work
 * @property {string} id
 * @property {string} title
 * @property {string} unit what the cost is divided by.
 * @property {number} units
 * @property {Turn} turn
 */

/** @type {readonly Work[]} */
export const works = [
  toolSteps('steps-25', 'tool step of 25', { steps: 25 }),
  toolSteps('steps-100', 'tool step of 100', { steps: 100 }),
  toolSteps('steps-400', 'tool step of 400', { steps: 400 }),
  toolSteps('history', 'tool step after 2,000 messages', { steps: 10, earlier: 2_000 }),
  {
    id: 'parallel',
    title: 'call, 64 in one step',
    unit: 'call',
    units: 64,
    turn: { steps: 1, callsPerStep: 64, deltas: 1, earlier: 0 },
  },
  {
    id: 'text',
    title: 'text delta of 5,000',
    unit: 'delta',
    units: 5_000,
    turn: { steps: 0, callsPerStep: 0, deltas: 5_000, earlier: 0 },
  },
]

/**
 * @param {string} id
 * @param {string} title
 * @param {{steps: number, earlier?: number}} size
 * @returns {Work}
 */
function toolSteps(id, title, { steps, earlier = 0 }) {
  return { id, title, unit: 'step', units: steps, turn: { steps, callsPerStep: 1, deltas: 1, earlier } }
}
