/** What is measured besides the cost of a unit of work. Each probe is a file in `probes` that exports `probe`. */

/**
 * @typedef {object} Probe
 * @property {string} id
 * @property {string} title of its table.
 * @property {readonly string[]} cases its rows; each is a fresh process.
 * @property {readonly string[]} figures its columns.
 * @property {number} rounds how often each case is measured at most.
 */

/** @type {readonly Probe[]} */
export const probes = [
  {
    id: 'imports',
    title: 'cold import',
    cases: [
      'zod',
      'looprig harness',
      'looprig harness, sqlite and workspace tools',
      'pi',
      'ai',
      'openai-agents',
      'langgraph',
    ],
    figures: ['CPU ms', 'MB'],
    rounds: 5,
  },
  {
    id: 'stalled-reader',
    title: 'a reader stalls for 2 s while the model writes 200,000 deltas',
    cases: ['floor', 'looprig-memory', 'pi', 'ai'],
    figures: ['deltas produced', 'MB kept'],
    rounds: 1,
  },
  {
    id: 'restore',
    title: 'restore of a session of 10,000 records',
    cases: ['looprig-memory', 'looprig-sqlite'],
    figures: ['read and parse the rows, ms', 'restore, ms', 'ratio'],
    rounds: 3,
  },
  {
    id: 'appends',
    title: 'durable writes per step with one call',
    cases: ['pure', 'allowed effect', 'approved by a person'],
    figures: ['appends', 'syncs to disk'],
    rounds: 1,
  },
]
