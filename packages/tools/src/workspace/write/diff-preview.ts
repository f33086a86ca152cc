import { headWithin } from '@looprig/core'
import type { Preview } from '../../contract/preview.ts'
import { printable } from '../../files/printable.ts'

/** Beyond so many changed lines the exact difference takes too long: then the changed region is shown as one. */
const maxEditLength = 1_000

/** A larger text is not compared line by line with another, in characters. */
const maxComparedLength = 1_048_576

/** The most bytes of a preview. */
const maxPreviewBytes = 16_384

/** The difference for the person who decides; `undefined` is a file that is not there. */
export async function previewDiff(before: string | undefined, after: string, display: string): Promise<Preview> {
  const { text, isCut } = await diffTexts(before, after, { display, contextLines: 3, maxBytes: maxPreviewBytes })
  return { kind: 'diff', text, ...(isCut ? { truncated: true as const } : {}) }
}

/** How to show a difference. */
export interface DiffOptions {
  /** What the file is called. */
  readonly display: string
  /** How many lines around a change. */
  readonly contextLines: number
  /** The most bytes. */
  readonly maxBytes: number
}

/** A difference in the unified format, safe to print. */
export interface TextDiff {
  readonly text: string
  readonly isCut: boolean
}

/** Shows the way from one text to another; `undefined` is a file that is not there. Line ends show only where they differ. */
export async function diffTexts(before: string | undefined, after: string, options: DiffOptions): Promise<TextDiff> {
  const [old, next] = showLineEnds(before ?? '', after)
  const lines = [
    `--- ${before === undefined ? '/dev/null' : `a/${options.display}`}`,
    `+++ b/${options.display}`,
    ...((await exactHunks(old, next, options)) ?? [wholeRegion(old, next)]),
  ]
  const text = lines.map((line) => line.split('\n').map(printable).join('\n')).join('\n')
  const head = headWithin(text, options.maxBytes)
  return { text: head, isCut: head !== text }
}

/** Undefined when the texts are too long or too different. */
async function exactHunks(before: string, after: string, { contextLines }: DiffOptions): Promise<string[] | undefined> {
  if (before.length > maxComparedLength || after.length > maxComparedLength) return undefined
  const { structuredPatch } = await import('diff') // loaded on use: who only reads need not pay for it
  const patch = structuredPatch('a', 'b', before, after, undefined, undefined, { context: contextLines, maxEditLength })
  return patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
    [hunkHeader([oldStart, oldLines], [newStart, newLines]), ...lines].join('\n'),
  )
}

/** All lines between the first and the last that differ. */
function wholeRegion(before: string, after: string): string {
  const old = before.split('\n')
  const next = after.split('\n')
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1
  let end = 0
  const room = Math.min(old.length, next.length) - start
  while (end < room && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1
  const removed = old.slice(start, old.length - end)
  const added = next.slice(start, next.length - end)
  return [
    hunkHeader([start + 1, removed.length], [start + 1, added.length]),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ].join('\n')
}

/** A part without lines is named by the line before it. */
function hunkHeader(...parts: readonly (readonly [start: number, lines: number])[]): string {
  const [old, next] = parts.map(([start, lines]) => `${lines === 0 ? start - 1 : start},${lines}`)
  return `@@ -${old} +${next} @@`
}

/** Carriage returns at line ends are left out where both texts have them everywhere, and shown where they do not. */
function showLineEnds(before: string, after: string): [string, string] {
  if (isAllCrlf(before) && (isAllCrlf(after) || before === '')) {
    return [before.replaceAll('\r\n', '\n'), after.replaceAll('\r\n', '\n')]
  }
  return [before.replaceAll('\r\n', '␍\n'), after.replaceAll('\r\n', '␍\n')]
}

function isAllCrlf(text: string): boolean {
  return !/(?:^|[^\r])\n/.test(text)
}
