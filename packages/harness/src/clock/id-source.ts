import { type UuidKinds, uuidV7 } from '@looprig/core'

/** Makes ids. */
export interface IdSource {
  /** A new lower-case UUID; never the same twice. */
  uuid(): string
}

/** UUIDv7 of this machine's clock and randomness. */
export const systemIds: IdSource = { uuid: () => uuidV7() }

/** Makes a new id of one kind. */
export function newId<Kind extends keyof UuidKinds>(ids: IdSource, _kind: Kind): UuidKinds[Kind] {
  return ids.uuid() as UuidKinds[Kind] // proved: the brand means "a canonical UUID", which the source makes
}
