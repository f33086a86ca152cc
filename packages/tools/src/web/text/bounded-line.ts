import { headWithin } from '@looprig/core'
import { cleanLine } from './clean-text.ts'

/** One clean line of at most so many bytes; `…` tells that there was more. */
export function boundedLine(text: string, maxBytes: number): string {
  // no pass over more than could be kept: characters that are dropped do not make a text endless
  const line = cleanLine(text.slice(0, maxBytes * 4))
  const head = headWithin(line, maxBytes)
  return head.length < line.length || text.length > maxBytes * 4 ? `${head}…` : head
}
