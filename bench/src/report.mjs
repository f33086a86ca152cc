/** The result as Markdown: where it was measured, the medians, and why a cell is empty. */
import { availableParallelism, cpus, loadavg } from 'node:os'
import { peerVersions, targetsOf } from './results.mjs'
import { spreadOf } from './spread.mjs'
import { warmUpWindows } from './warm-up.mjs'

/**
 * @typedef {object} Sample one fresh process: microseconds per unit, or why there are none.
 * @property {string} subject
 * @property {string} work
 * @property {number} [cpu]
 * @property {number} [elapsed]
 * @property {string} [error]
 */

/**
 * @typedef {object} Finding one fresh process of a probe: its figures, or why there are none.
 * @property {string} probe
 * @property {string} case
 * @property {readonly (number | null)[]} [figures]
 * @property {string} [error]
 */

/**
 * @param {object} run
 * @param {readonly Sample[]} run.samples
 * @param {readonly Finding[]} run.findings
 * @param {readonly string[]} run.subjects
 * @param {readonly import('./works.mjs').Work[]} run.works
 * @param {readonly import('./probes.mjs').Probe[]} run.probes
 * @param {number} run.milliseconds
 * @param {number} run.scale
 * @param {'cpu' | 'elapsed'} run.time
 * @param {number} run.seconds how long all of it took.
 * @returns {string}
 */
export function formatReport(run) {
  const notes = []
  const tables = [header(run)]
  if (run.works.length > 0) tables.push(workTable(run, notes))
  for (const probe of run.probes) tables.push(probeTable(probe, run.findings, notes))
  const targets = targetsOf(run.findings)
  if (targets.length > 0) tables.push(targetTable(targets))
  const footnotes = notes.map((note, index) => `${index + 1}. ${note}\n`)
  return `${tables.join('\n')}\n${footnotes.join('')}`
}

function workTable({ samples, subjects, works, time }, notes) {
  const cell = (subject, work) => {
    const own = samples.filter((sample) => sample.subject === subject && sample.work === work.id)
    if (own.length === 0) return '–'
    const failed = own.filter(({ error }) => error !== undefined)
    if (failed.length === 0) return spread(own.map((sample) => sample[time]))
    notes.push(`${subject}, ${work.title}: failed in ${failed.length} of ${own.length} rounds: ${failed[0].error}`)
    return `- (note ${notes.length})`
  }
  const head = [`µs of ${time === 'cpu' ? 'CPU' : 'elapsed'} time per`, ...subjects]
  return table([head, ...works.map((work) => [work.title, ...subjects.map((subject) => cell(subject, work))])])
}

function probeTable({ id, title, cases, figures }, findings, notes) {
  const rows = cases.map((name) => {
    const own = findings.filter((finding) => finding.probe === id && finding.case === name)
    const failed = own.find(({ error }) => error !== undefined)
    if (failed !== undefined) notes.push(`${title}, ${name}: ${failed.error}`)
    return [
      name,
      ...figures.map((_, index) => {
        if (failed !== undefined) return `- (note ${notes.length})`
        const values = own.map((finding) => finding.figures[index])
        return values.some((value) => typeof value !== 'number') ? '–' : spread(values)
      }),
    ]
  })
  return table([[title, ...figures], ...rows])
}

function targetTable(targets) {
  const rows = targets.map(({ title, bound, limit, value, holds }) => [
    title,
    value.toFixed(2),
    `${bound} ${limit}`,
    holds ? 'yes' : 'no',
  ])
  return table([['target', 'ratio', 'wanted', 'holds'], ...rows])
}

function header({ samples, works, milliseconds, scale, seconds }) {
  const { version, platform, arch } = process
  const load = loadavg().map((each) => each.toFixed(1))
  const peers = Object.entries(peerVersions())
  const [first] = samples
  const rounds = samples.filter(({ subject, work }) => subject === first.subject && work === first.work).length
  return [
    `${new Date().toISOString().slice(0, 10)}, Node.js ${version}, ${platform} ${arch}, ${availableParallelism()} cores`,
    `(${cpus()[0]?.model.trim() || 'unknown'}), load average ${load.join(' ')} at the end, ${seconds} s in all.`,
    ...(scale === 1 ? [] : [`Quick: everything is a ${scale}th as large and hardly warm, so no figure means much.`]),
    ...(works.length === 0
      ? []
      : [
          `Median (least to most) of ${rounds} fresh, interleaved processes,`,
          `warmed up for ${warmUpWindows * milliseconds} ms of CPU time and measured for ${milliseconds} ms.`,
        ]),
    `${peers.map(([name, pin]) => `${name} ${pin}`).join(', ')}.\n`,
  ].join('\n')
}

/** @param {readonly number[]} values */
function spread(values) {
  const { median, least, most, rounds } = spreadOf(values)
  return rounds === 1 ? short(median) : `${short(median)} (${short(least)}–${short(most)})`
}

/** Two figures tell all that the noise leaves. */
function short(value) {
  return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : String(Math.round(value))
}

/** @param {readonly (readonly string[])[]} rows */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const lines = rows.map((row) => `| ${row.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`)
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`)
  return `${lines.join('\n')}\n`
}
