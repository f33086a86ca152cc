import { isJsonObject, type JsonObject } from '@looprig/core'
import type { z } from 'zod'
import { StructuredOutputError } from './structured-output-error.ts'

/** A schema as a model is shown it, and what reads a value of it. */
export interface ShownSchema<T> {
  /** JSON Schema of an object. */
  readonly jsonSchema: JsonObject
  /** Never throws for a value that does not fit. */
  readonly read: (value: unknown) => Promise<{ readonly object: T } | { readonly issues: readonly z.core.$ZodIssue[] }>
}

/**
 * Makes a zod schema ready; zod is loaded here and not before. What is no object at its top is asked for as the member
 * `value` of one, since providers take objects only.
 *
 * @throws StructuredOutputError `invalid_schema` for one that JSON Schema cannot express.
 */
export async function showSchema<T>(schema: z.ZodType<T>): Promise<ShownSchema<T>> {
  const { strictObject, toJSONSchema } = await import('zod')
  const shownOf = (shown: z.ZodType): JsonObject | undefined => {
    const { $schema: _, ...rest } = toJSONSchema(shown, { io: 'input', override: tighten })
    const plain: unknown = JSON.parse(JSON.stringify(rest))
    return isJsonObject(plain) && plain.type === 'object' ? plain : undefined
  }
  try {
    const own = shownOf(schema)
    if (own !== undefined) return { jsonSchema: own, read: (value) => readWith(schema, value) }
    const around = strictObject({ value: schema })
    const jsonSchema = shownOf(around)
    if (jsonSchema !== undefined) return { jsonSchema, read: (value) => readInside(around, value) }
  } catch (cause) {
    throw new StructuredOutputError('invalid_schema', 'schema: JSON Schema cannot express it', { cause })
  }
  throw new StructuredOutputError('invalid_schema', 'schema: expected one that JSON Schema can express')
}

/**
 * Providers hold a model to a schema only where objects allow no further members, and where alternatives are `anyOf`.
 * zod takes these members away anyway, and finds the one alternative that fits.
 */
function tighten({ jsonSchema, path }: { jsonSchema: z.core.JSONSchema.BaseSchema; path: (string | number)[] }): void {
  // each part of an intersection must let the members of the others pass
  const isPart = path.includes('allOf')
  if (jsonSchema.type === 'object' && jsonSchema.additionalProperties === undefined && !isPart) {
    jsonSchema.additionalProperties = false
  }
  if (jsonSchema.oneOf !== undefined && jsonSchema.anyOf === undefined) {
    jsonSchema.anyOf = jsonSchema.oneOf
    delete jsonSchema.oneOf
  }
}

async function readWith<T>(schema: z.ZodType<T>, value: unknown): ReturnType<ShownSchema<T>['read']> {
  const parsed = await schema.safeParseAsync(value)
  return parsed.success ? { object: parsed.data } : { issues: parsed.error.issues }
}

async function readInside<T>(schema: z.ZodType<{ value: T }>, value: unknown): ReturnType<ShownSchema<T>['read']> {
  const read = await readWith(schema, value)
  return 'object' in read ? { object: read.object.value } : read
}
