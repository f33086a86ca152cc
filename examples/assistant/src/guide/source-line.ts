/** One line of a file as a tool showed it: the only thing that an answer may cite. */
export interface SourceLine {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string
  /** Counts from 1. */
  readonly line: number
  readonly text: string
}

/** How many characters of a line are looked at: minified files have lines of megabytes. */
const maxText = 400

/** The longest path that an answer names. */
const maxPath = 200

// C0 without the tab, DEL, C1, and what hides or turns text: bidirectional marks, line separators, the byte order mark
const unprintable = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g

/** Makes a line of what a tool returned; a Windows line ending is dropped. */
export function sourceLine(path: string, line: number, text: string): SourceLine {
  const end = text.endsWith('\r') ? text.length - 1 : text.length
  return { path, line, text: text.slice(0, Math.min(end, maxText)) }
}

/** Makes text safe for a terminal: one line, at most `max` characters, marked with an ellipsis when it was longer. */
export function printable(text: string, max: number): string {
  const clipped =
    text.length > max
      ? `${text
          .slice(0, max - 1)
          .toWellFormed()
          .replace(/\ufffd$/, '')}…`
      : text
  return clipped.toWellFormed().replace(unprintable, '\ufffd')
}

/** Whether an answer can name this path exactly: short, and without characters that a terminal would not show. */
export function isNameable(path: string): boolean {
  return path.length <= maxPath && printable(path, maxPath) === path
}

/** Quotes a text as inline code, so that nothing in it becomes markup. */
export function inlineCode(text: string, max = 80): string {
  return `\`${printable(text.replaceAll('`', ''), max)}\``
}

/** Cites a line: `path:line`, two spaces, the quoted text without its margins. */
export function cite(line: SourceLine): string {
  return `${line.path}:${line.line}  ${printable(line.text.trim(), 160)}`
}

/** Cites a line and keeps its indentation, where neighbouring lines are shown together. */
export function citeVerbatim(line: SourceLine): string {
  return `${line.path}:${line.line}  ${printable(line.text.trimEnd(), 160)}`.trimEnd()
}
