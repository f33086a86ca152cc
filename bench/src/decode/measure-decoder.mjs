/** Measures one decoder at one stream. */
import { warmUpWindows } from '../warm-up.mjs'
import { chatStream, messagesStream } from './streams.mjs'

/** How long is measured, in microseconds of CPU time. */
const window = 200_000

/** Those that are given the protocol of Anthropic instead of Chat. */
const inMessages = new Set(['floor-anthropic', 'looprig-anthropic', 'anthropic-sdk'])

/**
 * Gives the microseconds of CPU time per delta, and the megabytes that are decoded in a second of it.
 *
 * @param {string} decoder
 * @param {import('./streams.mjs').Kind} kind
 * @param {number} deltas
 */
export async function measureDecoder(decoder, kind, deltas) {
  const stream = (inMessages.has(decoder) ? messagesStream : chatStream)(kind, deltas)
  const { prepare } = await import(`../decoders/${decoder}.mjs`)
  const decode = await prepare(stream)
  const warmUp = await repeat(decode, stream, warmUpWindows * window)
  // one that takes that long has warmed itself up
  const { times, cpu } = warmUp.times === 1 ? warmUp : await repeat(decode, stream, window)
  return [cpu / (times * deltas), (times * stream.bytes) / cpu]
}

async function repeat(decode, { characters }, atLeast) {
  const before = process.cpuUsage()
  let times = 0
  let cpu = 0
  do {
    const seen = await decode()
    if (seen !== characters) throw new Error(`the reader got ${seen} of ${characters} characters`)
    times += 1
    const { user, system } = process.cpuUsage(before)
    cpu = user + system
  } while (cpu < atLeast)
  return { times, cpu }
}
