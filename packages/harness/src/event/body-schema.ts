import { data, type Id, isUuid, type Schema } from '@looprig/core'

/** Makes the schema of one stored object; see `data.object`. */
export const bodySchema: typeof data.object = data.object

/** Reads a stored id. */
export function idSchema<T extends Id<string>>(): Schema<T> {
  return data.where<T>((value) => typeof value === 'string' && isUuid(value), 'expected a UUID')
}
