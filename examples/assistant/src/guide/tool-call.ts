import type { JsonObject } from '@looprig/core'

/** A call that the guide wants to make. */
export interface ToolCall {
  readonly name: 'Glob' | 'Grep' | 'ReadFile'
  readonly input: JsonObject
  /** Its failure says nothing to the person: it was a guess. */
  readonly isGuess?: boolean
}

/** What a search may narrow. */
export interface SearchScope {
  /** A file or folder of the workspace. */
  readonly path?: string | undefined
  readonly ignoreCase?: boolean | undefined
}

/** Lists files by a glob pattern. */
export function glob(pattern: string): ToolCall {
  return { name: 'Glob', input: { pattern } }
}

/** Searches file contents by a pattern of RE2. */
export function grep(pattern: string, { path, ignoreCase }: SearchScope = {}): ToolCall {
  const input = {
    pattern,
    ...(path === undefined ? {} : { path }),
    ...(ignoreCase === true ? { ignore_case: true } : {}),
  }
  return { name: 'Grep', input }
}

/** Reads lines of a file, both ends included. */
export function readFile(path: string, startLine?: number, endLine?: number): ToolCall {
  const input = {
    path,
    ...(startLine === undefined ? {} : { start_line: startLine }),
    ...(endLine === undefined ? {} : { end_line: endLine }),
  }
  return { name: 'ReadFile', input }
}

/** Makes a text that a pattern of RE2 matches literally. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Makes a text that a glob pattern matches literally. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}()!+@|]/g, '\\$&')
}

/** Makes a glob pattern for a text in upper or lower case. */
export function anyCase(text: string): string {
  const characters = [...text.slice(0, 60)].map((character) => {
    const lower = character.toLowerCase()
    const upper = character.toUpperCase()
    return lower === upper || lower.length + upper.length > 2 ? escapeGlob(character) : `[${lower}${upper}]`
  })
  return characters.join('')
}
