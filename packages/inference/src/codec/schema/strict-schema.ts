import { isJsonObject, type JsonObject, type JsonValue } from '@looprig/core'
import { listOfMember, objectOfMember } from '../../wire/json-members.ts'

/** How deep a schema may nest to be held to strictly. */
const maxDepth = 10

/**
 * Says whether the provider can hold a model strictly to a schema: objects list every property as required and allow no
 * other, and nothing is in it that the strict subset lacks. It refuses the request for a strict schema outside of it.
 */
export function isStrictSchema(schema: JsonObject): boolean {
  return schema.type === 'object' && schema.anyOf === undefined && isStrict(schema, maxDepth)
}

function isStrict(value: JsonValue, depth: number): boolean {
  if (!isJsonObject(value) || depth === 0) return false
  if (Object.keys(value).some((keyword) => !keywords.has(keyword))) return false
  const types = typeof value.type === 'string' ? [value.type] : listOfMember(value.type)
  if (types.includes('object') && !isStrictObject(value)) return false
  if (types.includes('array') && value.items === undefined) return false
  return subschemas(value).every((part) => isStrict(part, depth - 1))
}

function isStrictObject({ properties, required, additionalProperties }: JsonObject): boolean {
  if (additionalProperties !== false) return false
  const names = Object.keys(objectOfMember(properties) ?? {})
  const listed = new Set(listOfMember(required))
  return names.length === listed.size && names.every((name) => listed.has(name))
}

function subschemas({ properties, items, anyOf, $defs, definitions }: JsonObject): JsonValue[] {
  const named = [properties, $defs, definitions].flatMap((members) => Object.values(objectOfMember(members) ?? {}))
  return [...named, ...listOfMember(anyOf), ...(items === undefined ? [] : [items])]
}

const keywords: ReadonlySet<string> = new Set([
  '$schema',
  '$defs',
  'definitions',
  '$ref',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'enum',
  'const',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
])
