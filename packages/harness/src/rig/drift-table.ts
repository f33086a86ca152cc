import type { DriftAssessment, DriftChange, DriftSeverity } from './drift-change.ts'

/** A table of more rows is cut. */
const maxRows = 50
const maxCells = { field: 64, value: 40 }

/** How many fields a line of text names. */
const maxNamed = 6

/**
 * Makes the table that a person reads in a terminal: severity, field, what was recorded, what is there now; what matters
 * most comes first. At most 50 rows, no control characters, digests and long values shortened; `-` is what is not there.
 */
export function formatDrift({ changes }: DriftAssessment): string {
  const sorted = bySeverity(changes)
  const rows = sorted
    .slice(0, maxRows)
    .map((change) => [
      change.severity,
      cut(plain(change.field), maxCells.field),
      showValue(change.recorded),
      showValue(change.present),
    ])
  const table = [['', 'changed', 'recorded', 'now'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => cells(row[column] ?? '').length)))
  const lines = table.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const rest = sorted.length - rows.length
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n')
}

/** Names what changed in one line, what matters most first, without a value. */
export function nameDrift(changes: readonly DriftChange[]): string {
  const named = bySeverity(changes).map(({ field }) => cut(plain(field), maxCells.field))
  const rest = named.length - maxNamed
  return named.slice(0, maxNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

const ranks: Readonly<Record<DriftSeverity, number>> = { warn: 0, info: 1 }

function bySeverity(changes: readonly DriftChange[]): readonly DriftChange[] {
  return changes.toSorted((a, b) => ranks[a.severity] - ranks[b.severity])
}

/** The start of a digest tells it from another. */
function showValue(value: string): string {
  if (/^[0-9a-f]{64}$/.test(value)) return value.slice(0, 12)
  return cut(plain(value), maxCells.value) || '-'
}

/** One line of what a terminal shows as it is. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
}

/** Keeps both ends: paths differ at their end, names at their start. */
function cut(text: string, max: number): string {
  const all = cells(text)
  if (all.length <= max) return text
  const head = Math.floor((max - 1) / 2)
  return `${all.slice(0, head).join('')}…${all.slice(head + 1 - max).join('')}`
}

function cells(text: string): readonly string[] {
  return Array.from(text)
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - cells(text).length))
}
