import { randomBytes } from 'node:crypto'

/** What a process is called: 16 random bytes, which tell nothing of it and cannot be guessed. */
export const handlePattern = /^[A-Za-z0-9_-]{22}$/

export function newHandle(): string {
  return randomBytes(16).toString('base64url')
}
