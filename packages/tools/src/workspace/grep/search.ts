import type { ReadGuard } from '../../contract/read-guard.ts'
import type { SearchPattern } from './search-pattern.ts'

/** The most lines with a match that a search reports. */
export const maxMatches = 200

/** Larger files are not searched, in bytes. */
export const maxFileBytes = 32 * 1_024 * 1_024

/** What to search, and how. */
export interface SearchRequest {
  /** A canonical file or folder. */
  readonly path: string
  readonly isFile: boolean
  readonly pattern: SearchPattern
  readonly recursive: boolean
  readonly contextLines: number
  readonly includeNoise: boolean
  /** What is searched lies on a disk of this machine. */
  readonly isLocal: boolean
  readonly guard: ReadGuard
  readonly signal: AbortSignal
}

/** A line to report, made safe to print and clipped around its match. */
export interface FoundLine {
  readonly line: number
  readonly text: string
  /** False for a line that only surrounds a match. */
  readonly isMatch: boolean
}

/** What one file has. The guard has not seen it yet. */
export interface FileMatches {
  /** Absolute. */
  readonly path: string
  /** A binary file that matches: its lines are not reported. */
  readonly isBinary: boolean
  /** In order; at most one match more than is reported. */
  readonly lines: readonly FoundLine[]
}
