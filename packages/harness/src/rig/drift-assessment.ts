import { deepFreeze } from '@looprig/core'
import type { DriftAssessment, DriftChange } from './drift-change.ts'
import { type Fact, type Facts, manifestFacts } from './drift-facts.ts'
import { severityOf } from './drift-severity.ts'
import type { Manifest, ManifestLoop } from './manifest.ts'

/** A mode in which a loop of the session works; loops of one definition may work in several. */
export interface ModeInForce {
  /** The loop's name. */
  readonly loop: string
  readonly mode: string
}

/** Tells everything in which the present manifest differs from the recorded one, and how much each change matters. */
export function assessDrift(
  recorded: Manifest,
  present: Manifest,
  modesInForce: readonly ModeInForce[] = [],
): DriftAssessment {
  const was = manifestFacts(withoutUnknown(recorded, present))
  const is = manifestFacts(present)
  const lost = new Set(modesInForce.map(({ loop, mode }) => `loops.${loop}.modes.${mode}`))
  const changes: DriftChange[] = []
  for (const field of new Set([...was.keys(), ...is.keys()])) {
    const change = compareFact(field, was, is)
    if (change !== undefined) changes.push(lost.has(field) && !is.has(field) ? { ...change, severity: 'warn' } : change)
  }
  return deepFreeze({ changes: changes.sort(byPlace) })
}

function compareFact(field: string, was: Facts, is: Facts): DriftChange | undefined {
  const [before, now] = [was.get(field), is.get(field)]
  const fact: Fact | undefined = before ?? now
  if (fact === undefined || before?.value === now?.value) return undefined
  const { category, partOf } = fact
  if (partOf !== undefined && was.has(partOf) !== is.has(partOf)) return undefined
  const severity = severityOf(category, before?.value, now?.value)
  return { field, category, severity, recorded: before?.value ?? '', present: now?.value ?? '' }
}

/** What a manifest of an older version does not say is taken to be as it is now, except a gate that could allow. */
function withoutUnknown(recorded: Manifest, present: Manifest): Manifest {
  const filled = (was: ManifestLoop): ManifestLoop => {
    const is = present.loops.find((loop) => loop.name === was.name)
    const limits = was.limits ?? is?.limits
    const gate = was.gate ?? (is?.gate?.posture === 'none' ? is.gate : undefined)
    return { ...was, ...(limits === undefined ? {} : { limits }), ...(gate === undefined ? {} : { gate }) }
  }
  return { ...recorded, loops: recorded.loops.map(filled) }
}

function byPlace(a: DriftChange, b: DriftChange): number {
  return compareText(a.category, b.category) || compareText(a.field, b.field)
}

/** By code units: the same order everywhere. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
