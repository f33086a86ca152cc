import type { RequiredLiteral } from './required-literal.ts'

/** What the worker is started with. */
export interface WorkerInput {
  /** The files to search, in order. */
  readonly paths: readonly string[]
  /** The pattern for re2js. */
  readonly source: string
  readonly literal: RequiredLiteral | undefined
  /** How files are opened. */
  readonly readFlags: number
  readonly maxFileBytes: number
  /** The most lines of one file. */
  readonly maxLines: number
}

/** A line that matches. Offsets are bytes of the file; `matchStart` is a character of the decoded line. */
export interface LineMatch {
  readonly line: number
  readonly start: number
  readonly end: number
  readonly matchStart: number
}

/** A file that matches, with its bytes handed over; undefined at the end. */
export type WorkerOutput =
  | {
      readonly path: string
      readonly isBinary: boolean
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly matches: readonly LineMatch[]
    }
  | undefined
