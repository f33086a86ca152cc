/** Values of rows as what the schema says they are. */
import { StoreError } from '../contract/errors.ts'
import type { SqlValue } from './driver.ts'

/** An INTEGER column. */
export function integerOf(value: SqlValue | undefined): number {
  if (typeof value === 'number') return value
  throw damaged()
}

/** An INTEGER column that may be empty. */
export function optionalIntegerOf(value: SqlValue | undefined): number | undefined {
  return value === null ? undefined : integerOf(value)
}

/** A TEXT column that can hold no U+0000. */
export function textOf(value: SqlValue | undefined): string {
  if (typeof value === 'string') return value
  throw damaged()
}

/** A TEXT column that was cast to BLOB, because the driver ends a text at U+0000. */
export function bytesOf(value: SqlValue | undefined): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  throw damaged()
}

function damaged(): StoreError {
  return new StoreError('corrupt', 'the store holds a row of another form')
}
