import { printable } from './source-line.ts'

/** One block of an answer. */
export interface Part {
  /** What the lines are; absent when the opening already says it. */
  readonly title?: string
  /** Citations and other quoted rows, best first; they are shown literally. */
  readonly lines: readonly string[]
  /** The most rows to show. */
  readonly most?: number
}

/** What the guide has to say. */
export interface Answer {
  /** One or two sentences: what was found. */
  readonly opening: string
  readonly parts?: readonly Part[]
  /** What limits the answer. */
  readonly notes?: readonly string[]
}

/** The most lines of an answer, blank ones included. */
export const maxAnswerLines = 30

/**
 * Writes an answer as plain text that is Markdown, too: quoted rows are indented by four, which makes them a code
 * block, so nothing in a file can become markup.
 */
export function compose({ opening, parts = [], notes = [] }: Answer, moreNotes: readonly string[] = []): string {
  const ending = [...new Set([...notes, ...moreNotes])].slice(0, 3).map((note) => printable(note, 300))
  const lines = opening.split('\n').map((line) => printable(line, 400))
  let left = maxAnswerLines - lines.length - (ending.length === 0 ? 0 : ending.length + 1)
  for (const part of parts) {
    const block = writePart(part, left)
    lines.push(...block)
    left -= block.length
  }
  if (ending.length > 0) lines.push('', ...ending)
  return lines.join('\n')
}

function writePart({ title, lines, most = maxAnswerLines }: Part, left: number): readonly string[] {
  const head = title === undefined ? [''] : ['', `${printable(title, 200)}:`, '']
  const room = Math.min(most, left - head.length)
  if (lines.length === 0 || room < 1) return []
  if (lines.length <= room) return [...head, ...lines.map(indent)]
  const shown = lines.slice(0, Math.max(1, room - 1))
  const rest = room > 1 ? [`… and ${lines.length - shown.length} more`] : []
  return [...head, ...[...shown, ...rest].map(indent)]
}

function indent(row: string): string {
  return `    ${row}`
}
