import { isJsonObject, isJsonValue, type JsonObject, type JsonValue } from '@looprig/core'
import { objectSchema } from './object-schema.ts'

/** How deep a schema is looked into; deeper parts take anything. */
const maxDepth = 64

/**
 * Makes the schema of a tool's arguments one that the provider takes: an object with properties at its top and nothing
 * beside them there, lists that say something of their items, no reference that leads nowhere. One tool without these
 * makes it refuse every request. What the tool itself expects is checked when it is called.
 */
export function toolSchema(schema: JsonObject): JsonObject {
  const { enum: _enum, const: _const, not: _not, ...flat } = soundObjectSchema(schema)
  return { properties: {}, ...flat }
}

/** The same for providers that want no more of it than that: an object without alternatives at its top, and sound below. */
export function soundObjectSchema(schema: JsonObject): JsonObject {
  if (!isJsonValue(schema)) return { type: 'object' }
  const flat = objectSchema(schema)
  const mended = mend(flat, flat, maxDepth)
  return isJsonObject(mended) ? mended : flat
}

/** Gives back what needs no mending as it is. */
function mend(value: JsonValue, root: JsonObject, depth: number): JsonValue {
  if (!isJsonObject(value)) return value
  if (depth === 0) return {}
  if (typeof value.$ref === 'string' && !leadsSomewhere(value.$ref, root)) return withoutReference(value)
  const changed: Record<string, JsonValue> = {}
  for (const [keyword, part] of Object.entries(value)) {
    const made = mendKeyword(keyword, part, root, depth - 1)
    if (made !== part) changed[keyword] = made
  }
  const isBareList = value.type === 'array' && value.items === undefined && value.prefixItems === undefined
  if (isBareList) changed.items = {}
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed }
}

function mendKeyword(keyword: string, part: JsonValue, root: JsonObject, depth: number): JsonValue {
  if (inNames.has(keyword) && isJsonObject(part)) {
    const entries = Object.entries(part).map(([name, schema]) => [name, mend(schema, root, depth)] as const)
    return entries.every(([name, made]) => made === part[name]) ? part : Object.fromEntries(entries)
  }
  if (Array.isArray(part) && inLists.has(keyword)) {
    const made = part.map((schema) => mend(schema, root, depth))
    return made.every((each, at) => each === part[at]) ? part : made
  }
  return inPlace.has(keyword) ? mend(part, root, depth) : part
}

const inNames: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions'])
const inLists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'])
const inPlace: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains'])

function leadsSomewhere(reference: string, root: JsonObject): boolean {
  if (reference !== '#' && !reference.startsWith('#/')) return false
  let at: JsonValue | undefined = root
  for (const step of reference.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined
  }
  return at !== undefined
}

function withoutReference({ $ref: _, ...rest }: JsonObject): JsonObject {
  return rest
}
