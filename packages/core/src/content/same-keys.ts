import type { z } from 'zod'

/** Fails to compile when a schema forgets a key of its interface, or has one too many. */
export type SameKeys<Schema extends z.ZodObject, Interface> = [keyof Schema['shape']] extends [keyof Interface]
  ? [keyof Interface] extends [keyof Schema['shape']]
    ? true
    : never
  : never
