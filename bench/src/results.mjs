/** The result as data: every figure of a run, where it was measured, and with which versions. */
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { spreadOf } from './spread.mjs'
import { checkTargets } from './targets.mjs'

/** @param {Parameters<typeof import('./report.mjs').formatReport>[0]} run */
export function resultsOf({ samples, findings, subjects, works, probes, time, seconds }) {
  return {
    date: new Date().toISOString(),
    node: process.version,
    machine: `${process.platform} ${process.arch}, ${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    seconds,
    versions: peerVersions(),
    unit: `microseconds of ${time === 'cpu' ? 'CPU' : 'elapsed'} time`,
    works: works.map(({ id, title }) => ({ id, title, subjects: workCells(samples, subjects, id, time) })),
    probes: probes.map(({ id, title, cases, figures }) => ({
      id,
      title,
      cases: Object.fromEntries(cases.map((name) => [name, probeCell(findings, id, name, figures)])),
    })),
    targets: targetsOf(findings),
  }
}

/** @param {readonly import('./report.mjs').Finding[]} findings */
export function targetsOf(findings) {
  return checkTargets((probe, name) => {
    const own = findings.filter((finding) => finding.probe === probe && finding.case === name)
    const values = own.flatMap(({ figures }) => figures?.[0] ?? [])
    return values.length === 0 ? undefined : spreadOf(values).median
  })
}

/** The versions of everything that is compared, as they are pinned. */
export function peerVersions() {
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return Object.fromEntries(Object.entries(dependencies).filter(([, pin]) => /^\d/.test(pin)))
}

function workCells(samples, subjects, work, time) {
  const cells = subjects.flatMap((subject) => {
    const own = samples.filter((sample) => sample.subject === subject && sample.work === work)
    if (own.length === 0) return []
    const failed = own.find(({ error }) => error !== undefined)
    return [[subject, failed === undefined ? rounded(own.map((sample) => sample[time])) : { error: failed.error }]]
  })
  return Object.fromEntries(cells)
}

function probeCell(findings, probe, name, figures) {
  const own = findings.filter((finding) => finding.probe === probe && finding.case === name)
  const failed = own.find(({ error }) => error !== undefined)
  if (failed !== undefined) return { error: failed.error }
  return Object.fromEntries(
    figures.flatMap((figure, index) => {
      const values = own.map((finding) => finding.figures[index])
      const isMeasured = values.length > 0 && values.every((value) => typeof value === 'number')
      return isMeasured ? [[figure, rounded(values)]] : []
    }),
  )
}

/** Four figures are more than the noise leaves. */
function rounded(values) {
  const { rounds, ...spread } = spreadOf(values)
  const short = Object.entries(spread).map(([name, value]) => [name, Number(value.toPrecision(4))])
  return { ...Object.fromEntries(short), rounds }
}
