import { randomUUID } from 'node:crypto'

let lastMs = -1
let lastTime = ''

/** Makes a UUIDv7: 48 bits of milliseconds, then random bits. Sorts by creation time between processes, roughly. */
export function uuidV7(nowMs: number = Date.now()): string {
  if (nowMs !== lastMs) {
    lastMs = nowMs
    const hex = nowMs.toString(16).padStart(12, '0')
    lastTime = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7`
  }
  // what follows the version of a random UUID: 12 random bits, the variant, 62 random bits
  return lastTime + randomUUID().slice(15)
}

const canonicalUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Says whether a text is a UUID in its canonical lower-case form, of any version. */
export function isUuid(text: string): boolean {
  return canonicalUuid.test(text)
}
