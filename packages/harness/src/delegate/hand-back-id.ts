import { hash } from 'node:crypto'
import type { InputId, TurnId } from '@looprig/core'

/**
 * The id of the input that tells a parent how its agent's turn ended, or that a request was dropped before it had one.
 * It follows from what it tells of, so that nothing is told twice.
 */
export function handBackId(of: TurnId | InputId): InputId {
  const hex = hash('sha256', `hand-back/${of}`, 'hex')
  // a UUID of version 8: made by a rule of one's own
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`]
  return [...parts, hex.slice(20, 32)].join('-') as InputId // proved: 32 hex digits in the form of a UUID
}
