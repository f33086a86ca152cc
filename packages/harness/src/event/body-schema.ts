import { type Id, isUuid } from '@looprig/core'
import { z } from 'zod'

type Shape<T> = { readonly [K in keyof T]-?: z.ZodType<T[K]> }

/**
 * Makes the schema of one stored object. A schema that forgets a key of its interface, has one too many or reads
 * another type does not compile; unknown members are kept.
 */
export function bodySchema<T>() {
  return <S extends Shape<T>>(shape: S & { readonly [K in Exclude<keyof S, keyof T>]: never }): z.ZodType<T> =>
    z.looseObject(shape) as unknown as z.ZodType<T> // proved: `Shape` ties every key and its type to T
}

/** Reads a stored id. */
export function idSchema<T extends Id<string>>(): z.ZodType<T> {
  return z.string().refine(isUuid, 'expected a UUID') as unknown as z.ZodType<T> // proved: a brand is a checked UUID
}
