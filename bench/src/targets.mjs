/** What this library holds itself to, as ratios of one run. */

const text = 'decode-text'
const longArguments = 'decode-arguments'
const shortArguments = 'decode-short-arguments'

/** The decoders that others offer, in the protocol that ours is compared in. */
const chatPeers = ['ai', 'openai', 'pi']

/**
 * @typedef {(probe: string, name: string) => number | undefined} Median the first figure of a case, if it was measured.
 * @typedef {object} Target
 * @property {string} title
 * @property {'at most' | 'at least'} bound
 * @property {number} limit
 * @property {(median: Median) => number | undefined} figure
 */

/** @type {readonly Target[]} */
const targets = [
  atMost('a text delta, in floors', 1.5, (median) => ratio(median(text, 'looprig'), median(text, 'floor'))),
  atMost('a text delta of Anthropic, in floors', 1.5, (median) =>
    ratio(median(text, 'looprig-anthropic'), median(text, 'floor-anthropic')),
  ),
  atMost('an argument delta, in floors', 1.5, (median) =>
    ratio(median(longArguments, 'looprig'), median(longArguments, 'floor')),
  ),
  atMost('an argument delta, in our text deltas', 1.2, (median) =>
    ratio(median(longArguments, 'looprig'), median(text, 'looprig')),
  ),
  atMost('an argument delta of a call four times as long, in those of the shorter one', 1.1, (median) =>
    ratio(median(longArguments, 'looprig'), median(shortArguments, 'looprig')),
  ),
  ...[text, shortArguments].flatMap((probe) =>
    [...chatPeers.map((peer) => ({ peer, ours: 'looprig' })), { peer: 'anthropic-sdk', ours: 'looprig-anthropic' }].map(
      ({ peer, ours }) =>
        atLeast(`${peer}: ${probe === text ? 'a text' : 'an argument'} delta, in ours`, 2.5, (median) =>
          ratio(median(probe, peer), median(probe, ours)),
        ),
    ),
  ),
  ...['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini', 'bedrock-converse'].map((api) =>
    atMost(`${api}: the next request after 2,000 messages without its bytes, in those after 20`, 1.5, (median) =>
      ratio(median('encode', `${api} after 2,000 messages`), median('encode', `${api} after 20 messages`)),
    ),
  ),
  ...['glob **/package.json', 'glob **/*.{ts,mts,cts}'].map((name) =>
    atMost(`${name}, in that of fast-glob`, 1.3, (median) => median('search', name)),
  ),
  ...['grep isbinaryfile', 'grep queueMicrotask', 'grep function\\s+debounce\\w*', 'grep, ignoring case'].map((name) =>
    atMost(`${name}, in that of ripgrep`, 1.3, (median) => median('search', name)),
  ),
]

/**
 * Tells which targets hold; those whose figures were not measured are left out.
 *
 * @param {Median} median
 */
export function checkTargets(median) {
  return targets.flatMap(({ title, bound, limit, figure }) => {
    const value = figure(median)
    if (value === undefined) return []
    return [{ title, bound, limit, value, holds: bound === 'at most' ? value <= limit : value >= limit }]
  })
}

function ratio(value, of) {
  return value === undefined || of === undefined ? undefined : value / of
}

function atMost(title, limit, figure) {
  return { title, bound: 'at most', limit, figure }
}

function atLeast(title, limit, figure) {
  return { title, bound: 'at least', limit, figure }
}
