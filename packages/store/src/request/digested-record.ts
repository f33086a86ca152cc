/** A record whose digest is known to fit. */
import { hash } from 'node:crypto'
import type { NewRecord } from '../contract/ledger.ts'

/** Only this package makes one and nothing else has its private field, so no store has to hash its body again. */
class DigestedRecord implements NewRecord {
  readonly id: string
  readonly kind: NewRecord['kind']
  readonly body: string
  readonly digest: string
  readonly #isDigested = true

  constructor(id: string, kind: NewRecord['kind'], body: string) {
    this.id = id
    this.kind = kind
    this.body = body
    this.digest = sha256(body)
    Object.freeze(this)
  }

  static made(record: object): boolean {
    return #isDigested in record && record.#isDigested
  }
}

/** Makes a record and its digest. A store checks the digest of every other record against the body. */
export function digestRecord({ id, kind, body }: Omit<NewRecord, 'digest'>): NewRecord {
  return new DigestedRecord(id, kind, body)
}

/** Says whether `digestRecord` of this package made the record. */
export function isDigested(record: NewRecord): boolean {
  return DigestedRecord.made(record)
}

/** Lower-case hex SHA-256 of bytes, or of a text's UTF-8. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex')
}
