/** What is measured besides the cost of a unit of work. Each probe is a file in `probes` that exports `probe`. */

/**
 * @typedef {object} Probe
 * @property {string} id
 * @property {string} title of its table.
 * @property {readonly string[]} cases its rows; each is a fresh process.
 * @property {readonly string[]} figures its columns.
 * @property {number} rounds how often each case is measured at most.
 * @property {boolean} [isHeavy] it takes minutes: only when it is named.
 */

/** Those at the protocol of Anthropic have shorter frames: they are compared with each other. */
const decoders = ['floor', 'looprig', 'ai', 'openai', 'pi', 'floor-anthropic', 'looprig-anthropic', 'anthropic-sdk']

/** @type {readonly Probe[]} */
export const probes = [
  {
    id: 'imports',
    title: 'cold import',
    cases: [
      'zod',
      'undici',
      'looprig core',
      'looprig inference',
      'looprig inference/openai',
      'looprig inference/anthropic',
      'looprig inference/openai-responses',
      'looprig inference/gemini',
      'looprig inference/bedrock',
      'looprig harness',
      'looprig harness, sqlite and workspace tools',
      'pi',
      'ai',
      'openai-agents',
      'langgraph',
      'openai',
      'anthropic-sdk',
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
  decode('decode-text', 'decode of a 4 MB stream, text'),
  // Pi takes half a minute for these
  decode('decode-arguments', 'decode of a 4 MB stream, arguments of a call', ['pi']),
  decode('decode-short-arguments', 'decode of a 1 MB stream, arguments of a call'),
  {
    id: 'encode',
    title: 'the request of the next step',
    cases: ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini', 'bedrock-converse'].flatMap((api) => [
      `${api} after 20 messages`,
      `${api} after 2,000 messages`,
    ]),
    figures: ['written, µs of CPU', 'its bytes put together, µs of CPU'],
    rounds: 3,
  },
  {
    id: 'search',
    title: 'a search of `node_modules`, in the CPU time of fast-glob or ripgrep',
    cases: [
      'glob **/package.json',
      'glob **/*.{ts,mts,cts}',
      'grep isbinaryfile',
      'grep queueMicrotask',
      'grep function\\s+debounce\\w*',
      'grep, ignoring case',
    ],
    figures: ['ratio', 'ours, CPU ms', 'the other, CPU ms'],
    rounds: 1,
  },
  {
    id: 'load',
    title: 'workspace tools under load',
    cases: [
      'sparse file of 2 GB',
      'lines near the end of 500 MB',
      '1,000 edits of 10 files',
      'Glob in 200,000 files',
      'Grep in 200,000 files',
      'Grep in 200,000 files, without ripgrep',
    ],
    figures: ['s', 'MB before', 'MB at most'],
    rounds: 1,
    isHeavy: true,
  },
]

/**
 * @param {string} id
 * @param {string} title
 * @param {readonly string[]} [without] decoders that are left out.
 * @returns {Probe}
 */
function decode(id, title, without = []) {
  return {
    id,
    title,
    cases: decoders.filter((decoder) => !without.includes(decoder)),
    figures: ['µs of CPU per delta', 'MB per s of CPU'],
    rounds: 3,
  }
}
