import { isJsonObject, type JsonObject, type JsonValue } from '@looprig/core'
import { listOfMember, objectOfMember } from '../../wire/json-members.ts'

/** How deep combinators at the top may lie in each other, and how many references may lead to them. */
const maxDepth = 8

/**
 * Makes the schema of a tool's arguments one that says at its top that it is an object, and has no `anyOf`, `oneOf`,
 * `allOf` or `$ref` there: one tool with them makes the provider refuse every request. Alternatives become one object
 * with the properties of all; what the tool itself expects is checked when it is called. A schema that is fine is given
 * back as it is.
 */
export function objectSchema(schema: JsonObject): JsonObject {
  const flat = flatten(schema, schema, maxDepth)
  if (flat === undefined || !mayBeObject(flat)) return onlyDescribed(schema)
  if (flat === schema && schema.type === 'object') return schema
  const { type: _, ...rest } = flat
  const made: JsonObject = { type: 'object', ...rest }
  // what was at the top is gone, so a reference into it would lead nowhere
  return /"\$ref":"#\/(?:anyOf|oneOf|allOf)\b/.test(JSON.stringify(made)) ? onlyDescribed(schema) : made
}

function mayBeObject({ type, properties }: JsonObject): boolean {
  return type === undefined || type === 'object' || listOfMember(type).includes('object') || properties !== undefined
}

function onlyDescribed({ description }: JsonObject): JsonObject {
  return typeof description === 'string' ? { type: 'object', description } : { type: 'object' }
}

/** `undefined` where it does not end. */
function flatten(schema: JsonObject, root: JsonObject, depth: number): JsonObject | undefined {
  const { anyOf, oneOf, allOf, $ref, ...own } = schema
  if (anyOf === undefined && oneOf === undefined && allOf === undefined && $ref === undefined) return schema
  if (depth === 0) return undefined
  const together = [...listOfMember(allOf), ...(typeof $ref === 'string' ? [resolve($ref, root)] : [])]
  const every = flattenAll(together, root, depth)
  const some = flattenAll([...listOfMember(anyOf), ...listOfMember(oneOf)], root, depth)
  if (every === undefined || some === undefined) return undefined
  const parts = [own, ...every, ...some]
  const properties = mergeProperties(parts)
  const required = new Set([own, ...every].flatMap(requiredOf))
  for (const name of neededByAll(some)) required.add(name)
  return {
    ...own,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.size === 0 ? {} : { required: [...required] }),
  }
}

/** Those of the entries that can be an object. */
function flattenAll(entries: readonly JsonValue[], root: JsonObject, depth: number): JsonObject[] | undefined {
  const flat: JsonObject[] = []
  for (const entry of entries) {
    const schema = objectOfMember(entry)
    if (schema === undefined || !mayBeObject(schema)) continue
    const made = flatten(schema, root, depth - 1)
    if (made === undefined) return undefined
    flat.push(made)
  }
  return flat
}

function mergeProperties(parts: readonly JsonObject[]): JsonObject {
  const found = new Map<string, JsonValue[]>()
  for (const part of parts) {
    for (const [name, schema] of Object.entries(objectOfMember(part.properties) ?? {})) {
      const known = found.get(name) ?? []
      if (!known.some((each) => JSON.stringify(each) === JSON.stringify(schema))) known.push(schema)
      found.set(name, known)
    }
  }
  const merged = [...found].map(([name, known]): [string, JsonValue] => {
    const [only, ...others] = known
    return [name, only === undefined || others.length > 0 ? { anyOf: known } : only]
  })
  return Object.fromEntries(merged)
}

function neededByAll(alternatives: readonly JsonObject[]): string[] {
  const [first, ...others] = alternatives.map(requiredOf)
  return first?.filter((name) => others.every((other) => other.includes(name))) ?? []
}

function requiredOf({ required }: JsonObject): string[] {
  return listOfMember(required).filter((name) => typeof name === 'string')
}

/** Follows a reference inside the schema itself. */
function resolve(reference: string, root: JsonObject): JsonValue {
  let at: JsonValue | undefined = root
  for (const step of reference.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at ?? {}
}
