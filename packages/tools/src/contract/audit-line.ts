import { headWithin } from '@looprig/core'

const maxAuditBytes = 1_024

/** One bounded line without control characters of what a tool says of a call; the tool's name where it says nothing. */
export function auditLine(said: unknown, toolName: string): string {
  if (typeof said !== 'string') return toolName
  const line = headWithin(said, maxAuditBytes)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .trim()
  return line === '' ? toolName : line
}
