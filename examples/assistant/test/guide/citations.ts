import { textOf } from '@looprig/core'
import { expect } from 'vitest'
import type { Exchange } from './session.ts'

/** One cited row of an answer. */
export interface Citation {
  readonly path: string
  readonly line: string
  readonly quote: string
}

/** The rows of an answer that quote something. */
export function quotedRows(text: string): readonly string[] {
  return text.split('\n').flatMap((row) => (row.startsWith('    ') ? [row.slice(4)] : []))
}

/** The rows that cite a line of a file. */
export function citationsOf(text: string): readonly Citation[] {
  return quotedRows(text).flatMap((row) => {
    const match = /^(\S.*?):(\d+)(?: {2}(.*))?$/.exec(row)
    return match?.[1] === undefined || match[2] === undefined
      ? []
      : [{ path: match[1], line: match[2], quote: match[3] ?? '' }]
  })
}

/** Checks what every answer promises: its bounds, and that each cited line was in a tool result, literally. */
export function expectSound({ text, steps, results }: Exchange): void {
  expect(steps.length + 1).toBeLessThanOrEqual(8)
  expect(steps.flat().length).toBeLessThanOrEqual(12)
  expect(text.split('\n').length).toBeLessThanOrEqual(30)
  const calls = steps.flat()
  for (const citation of citationsOf(text)) {
    const wasSeen = results.some((result, index) => isIn(textOf(result.blocks), calls[index]?.input.path, citation))
    expect(wasSeen, `${citation.path}:${citation.line} was in no tool result`).toBe(true)
  }
}

function isIn(result: string, readPath: unknown, { path, line, quote }: Citation): boolean {
  const words = quote.replace(/…$/, '')
  return result.split('\n').some((row) => {
    const isFound = row.startsWith(`${path}:${line}:`)
    const isRead = readPath === path && new RegExp(`^ *${line}\t`).test(row)
    return (isFound || isRead) && row.includes(words)
  })
}
