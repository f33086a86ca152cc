/** The result as Markdown: where it was measured, the medians, and why a cell is empty. */
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'

/**
 * @typedef {object} Sample one fresh process: microseconds per unit, or why there are none.
 * @property {string} subject
 * @property {string} work
 * @property {number} [cpu]
 * @property {number} [elapsed]
 * @property {string} [error]
 */

/**
 * @param {readonly Sample[]} samples
 * @param {object} run
 * @param {readonly string[]} run.subjects
 * @param {readonly import('./works.mjs').Work[]} run.works
 * @param {number} run.milliseconds
 * @param {'cpu' | 'elapsed'} run.time
 * @param {number} run.seconds how long all of it took.
 * @returns {string}
 */
export function formatReport(samples, { subjects, works, milliseconds, time, seconds }) {
  const notes = []
  const cell = (subject, work) => {
    const own = samples.filter((sample) => sample.subject === subject && sample.work === work.id)
    const failed = own.filter(({ error }) => error !== undefined)
    if (failed.length === 0) return spread(own.map((sample) => sample[time]))
    notes.push(`${subject}, ${work.title}: failed in ${failed.length} of ${own.length} rounds: ${failed[0].error}`)
    return `- (note ${notes.length})`
  }
  const head = [`µs of ${time === 'cpu' ? 'CPU' : 'elapsed'} time per`, ...subjects]
  const rows = works.map((work) => [work.title, ...subjects.map((subject) => cell(subject, work))])
  const footnotes = notes.map((note, index) => `${index + 1}. ${note}\n`)
  const rounds = samples.length / subjects.length / works.length
  return `${header({ rounds, milliseconds, seconds })}\n${table([head, ...rows])}\n${footnotes.join('')}`
}

function header({ rounds, milliseconds, seconds }) {
  const { version, platform, arch } = process
  const load = loadavg().map((each) => each.toFixed(1))
  const pins = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).dependencies
  const peers = Object.entries(pins).filter(([, pin]) => /^\d/.test(pin))
  return [
    `${new Date().toISOString().slice(0, 10)}, Node.js ${version}, ${platform} ${arch}, ${availableParallelism()} cores`,
    `(${cpus()[0]?.model.trim() || 'unknown'}), load average ${load.join(' ')} at the end, ${seconds} s in all.`,
    `Median (least to most) of ${rounds} fresh, interleaved processes,`,
    `warmed up for ${2 * milliseconds} ms of CPU time and measured for ${milliseconds} ms.`,
    `${peers.map(([name, pin]) => `${name} ${pin}`).join(', ')}.\n`,
  ].join('\n')
}

/** @param {readonly number[]} values */
function spread(values) {
  const sorted = [...values].sort((a, b) => a - b)
  if (sorted.length === 1) return short(sorted[0])
  const middle = sorted.length / 2
  const median = (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2
  return `${short(median)} (${short(sorted[0])}–${short(sorted.at(-1))})`
}

/** Two figures tell all that the noise leaves. */
function short(value) {
  return value < 10 ? value.toFixed(1) : String(Math.round(value))
}

/** @param {readonly (readonly string[])[]} rows */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const lines = rows.map((row) => `| ${row.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`)
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`)
  return `${lines.join('\n')}\n`
}
