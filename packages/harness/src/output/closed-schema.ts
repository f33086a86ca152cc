import { isJsonObject, type JsonObject, type JsonValue } from '@looprig/core'

/**
 * A schema as providers hold a model to it: an object takes no members that it does not name, unless it says otherwise,
 * and alternatives are `anyOf`. A part of an intersection stays open, since it must let the members of the others pass.
 */
export function closedSchema(schema: JsonObject): JsonObject {
  return close(schema, false)
}

/** Members whose value is a schema, a list of schemas, or schemas by name. */
const schemas = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'])
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions'])

function close(schema: JsonObject, isPart: boolean): JsonObject {
  const closed: { [name: string]: JsonValue } = {}
  for (const [name, value] of Object.entries(schema)) {
    const isAlternative = name === 'oneOf' && schema.anyOf === undefined
    // a name of a schema's own may be __proto__
    Object.defineProperty(closed, isAlternative ? 'anyOf' : name, {
      value: closeMember(name, value, isPart),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  const isOpen = schema.type === 'object' && schema.additionalProperties === undefined && !isPart
  return isOpen ? { ...closed, additionalProperties: false } : closed
}

function closeMember(name: string, value: JsonValue, isPart: boolean): JsonValue {
  if (schemas.has(name)) return closeValue(value, false)
  if (lists.has(name) && Array.isArray(value)) {
    return value.map((each) => closeValue(each, name === 'allOf' || (isPart && name !== 'prefixItems')))
  }
  if (named.has(name) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closeValue(each, false)]))
  }
  return value
}

function closeValue(value: JsonValue, isPart: boolean): JsonValue {
  return isJsonObject(value) ? close(value, isPart) : value
}
