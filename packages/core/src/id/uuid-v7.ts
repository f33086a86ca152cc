import { randomFillSync } from 'node:crypto'

// one call for 256 ids: asking the system for 16 bytes costs more than all the rest
const pool = Buffer.alloc(4_096)
let used = pool.length

/** Makes a UUIDv7: 48 bits of milliseconds, then random bits. Sorts by creation time between processes, roughly. */
export function uuidV7(nowMs: number = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.subarray(used, used + 16)
  used += 16
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const canonicalUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Says whether a text is a UUID in its canonical lower-case form, of any version. */
export function isUuid(text: string): boolean {
  return canonicalUuid.test(text)
}
