import type { SeenCall, Turn } from '../history.ts'
import type { Plan } from '../plan.ts'
import { printable } from '../source-line.ts'
import { readGlob, readGrep } from '../tool-output.ts'

/** The most rows that are told again. */
const maxRows = 22

/** Tells what was asked before, or what was looked at, from the transcript alone. */
export function* recallPlan(of: 'questions' | 'work', earlier: readonly Turn[]): Plan {
  if (earlier.length === 0) return { opening: 'This is your first question; nothing was looked at before it.' }
  const rows = earlier.flatMap((turn, index) => [
    `${index + 1}. ${printable(oneLine(turn.question), 150)}`,
    ...(of === 'work' ? workOf(turn) : []),
  ])
  const lines = rows.length <= maxRows ? rows : ['… and more before', ...rows.slice(1 - maxRows)]
  const asked = earlier.length === 1 ? 'one question' : `${earlier.length} questions`
  const opening =
    of === 'work'
      ? `Before this you asked ${asked}; this is what was looked at, the latest last.`
      : `Before this you asked ${asked}, the latest last.`
  return { opening, parts: [{ lines }] }
}

function workOf({ steps }: Turn): readonly string[] {
  const calls = steps.flat()
  const read = calls
    .filter(({ name, result }) => name === 'ReadFile' && result?.isError === false)
    .map(({ input }) => String(input.path))
  const searched = calls.filter(({ name }) => name === 'Grep').flatMap(pathsOf)
  const listed = calls.filter(({ name }) => name === 'Glob').flatMap(pathsOf)
  const rows = [row('read', read), row('searched, with matches in', searched), row('listed', listed)].flat()
  return rows.length === 0 ? ['   nothing'] : rows
}

function pathsOf({ name, result }: SeenCall): readonly string[] {
  if (result === undefined || result.isError) return []
  return name === 'Glob' ? readGlob(result.text).paths : readGrep(result.text).lines.map(({ path }) => path)
}

function row(what: string, paths: readonly string[]): readonly string[] {
  const files = [...new Set(paths)]
  if (files.length === 0) return []
  const named = files.slice(0, 3).map((path) => printable(path, 60))
  const rest = files.length > named.length ? ` and ${files.length - named.length} more` : ''
  return [`   ${what} ${named.join(', ')}${rest}`]
}

function oneLine(text: string): string {
  return text.slice(0, 1_000).trim().replace(/\s+/g, ' ')
}
