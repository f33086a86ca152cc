import { isJsonObject, isJsonValue, type JsonObject, type JsonValue } from '@looprig/core'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { type SchemaPlace, SchemaReferences } from './schema-references.ts'

/** A schema in the provider's own form, a part of OpenAPI. Counts are 64 bits wide, which its JSON writes as texts. */
export interface GeminiSchema {
  readonly type?: string
  readonly description?: string
  readonly nullable?: true
  readonly enum?: readonly string[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: string
  readonly maxLength?: string
  readonly items?: GeminiSchema
  readonly minItems?: string
  readonly maxItems?: string
  readonly properties?: { readonly [name: string]: GeminiSchema }
  readonly required?: readonly string[]
  /** Stands alone: the provider takes nothing beside it. */
  readonly anyOf?: readonly GeminiSchema[]
}

/**
 * Writes a JSON Schema of an object in the provider's form, which has no references, no lists of types, no `oneOf`,
 * `allOf` or `const`, and text alone in `enum`. What it cannot say is left out or said in the description: the model is
 * told less, and what it sends is checked by the tool anyway. Never fails; its result is bounded whatever the schema is.
 */
export function geminiSchema(schema: JsonObject): GeminiSchema {
  if (!isJsonValue(schema)) return { type: 'OBJECT' }
  return new Converter(schema).convertObject(schema, { depth: 0, references: [] })
}

const maxDepth = 24
const maxSchemas = 2000

class Converter {
  readonly #references: SchemaReferences
  #count = 0

  constructor(root: JsonObject) {
    this.#references = new SchemaReferences(root)
  }

  convert(value: JsonValue | undefined, place: SchemaPlace): GeminiSchema {
    this.#count += 1
    if (!isJsonObject(value) || place.depth > maxDepth || this.#count > maxSchemas) return anything
    const { schema, place: at } = this.#references.flatten(value, place)
    const alternatives = alternativesOf(schema)
    if (alternatives.length > 0 && !saysOwnShape(schema)) return this.#convertAny(schema, alternatives, at)
    const types = typesOf(schema)
    const real = types.filter((type) => type !== 'null')
    const nullable = types.length > real.length || schema.nullable === true || hasNull(schema.enum)
    if (real.length > 1) {
      const each = real.map((type) => this.#convertTyped(type, { ...schema, description: '' }, at))
      return anyOf(each, textOfMember(schema.description), nullable)
    }
    const [type] = real
    const made = type === undefined ? untyped(schema, nullable) : this.#convertTyped(type, schema, at)
    return nullable ? withNull(made) : made
  }

  /** An object, whatever stands at its top. */
  convertObject(value: JsonObject, place: SchemaPlace): GeminiSchema {
    const { schema, place: at } = this.#references.flatten(value, place)
    return this.#convertTyped('object', schema, at)
  }

  #convertAny(schema: JsonObject, alternatives: readonly JsonValue[], place: SchemaPlace): GeminiSchema {
    const inner = { ...place, depth: place.depth + 1 }
    const isNull = (each: JsonValue) => isJsonObject(each) && (each.type === 'null' || each.const === null)
    const real = alternatives.filter((each) => !isNull(each))
    const each = real.map((alternative) => this.convert(alternative, inner))
    return anyOf(each, textOfMember(schema.description), real.length < alternatives.length)
  }

  #convertTyped(type: string, schema: JsonObject, place: SchemaPlace): GeminiSchema {
    const description = describe(type, schema)
    const told = description === '' ? {} : { description }
    const inner = { ...place, depth: place.depth + 1 }
    switch (type) {
      case 'string':
        return { type: 'STRING', ...told, ...textRules(schema) }
      case 'integer':
      case 'number':
        return { type: type.toUpperCase(), ...told, ...numberRules(schema) }
      case 'boolean':
        return { type: 'BOOLEAN', ...told }
      case 'array':
        return {
          type: 'ARRAY',
          ...told,
          items: this.#itemsOf(schema, inner),
          ...counts(schema, 'minItems', 'maxItems'),
        }
      case 'object':
        return { type: 'OBJECT', ...told, ...this.#membersOf(schema, inner) }
      default:
        return untyped(schema, false)
    }
  }

  /** A list with a schema for each place is told as a list of any of them. */
  #itemsOf({ items, prefixItems }: JsonObject, place: SchemaPlace): GeminiSchema {
    const places = [...listOfMember(prefixItems), ...listOfMember(items)]
    if (places.length === 0) return this.convert(items, place)
    return anyOf(
      places.map((each) => this.convert(each, place)),
      undefined,
      false,
    )
  }

  /** The members of an object, those of its alternatives too; needed is what all of these need. */
  #membersOf(schema: JsonObject, place: SchemaPlace): Pick<GeminiSchema, 'properties' | 'required'> {
    const schemas = new Map<string, Map<string, JsonValue>>()
    const branches = alternativesOf(schema)
      .filter(isJsonObject)
      .map((branch) => this.#references.flatten(branch, place).schema)
    for (const part of [schema, ...branches]) {
      for (const [name, member] of Object.entries(objectOfMember(part.properties) ?? {})) {
        const known = schemas.get(name) ?? new Map<string, JsonValue>()
        schemas.set(name, known.set(JSON.stringify(member), member))
      }
    }
    if (schemas.size === 0) return {}
    const properties = Object.fromEntries(
      [...schemas].map(([name, known]) => {
        const [first, ...others] = known.values()
        return [name, this.convert(others.length === 0 ? first : { anyOf: [...known.values()] }, place)]
      }),
    )
    const required = [...new Set([...requiredOf(schema), ...neededByAll(branches)])].filter((name) => schemas.has(name))
    return { properties, ...(required.length === 0 ? {} : { required }) }
  }
}

/** Any value. The provider wants a type, so it is told those that there are. */
const anything: GeminiSchema = Object.freeze({
  anyOf: Object.freeze(['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT'].map((type) => Object.freeze({ type }))),
})

function untyped({ description }: JsonObject, nullable: boolean): GeminiSchema {
  return anyOf(anything.anyOf ?? [], textOfMember(description), nullable)
}

/** Alternatives in each other are one list; one that is alone needs none. */
function anyOf(each: readonly GeminiSchema[], description: string | undefined, nullable: boolean): GeminiSchema {
  const distinct = new Map<string, GeminiSchema>()
  for (const schema of each.flatMap((alternative) => alternative.anyOf ?? [alternative])) {
    const told = description === undefined || schema.description !== undefined ? schema : { ...schema, description }
    distinct.set(JSON.stringify(told), told)
  }
  const [only = { type: 'STRING' }] = distinct.values()
  const made = distinct.size > 1 ? { anyOf: [...distinct.values()] } : only
  return nullable ? withNull(made) : made
}

function withNull(schema: GeminiSchema): GeminiSchema {
  if (schema.anyOf === undefined) return { ...schema, nullable: true }
  return { anyOf: schema.anyOf.map((each) => ({ ...each, nullable: true })) }
}

function alternativesOf({ anyOf: any, oneOf }: JsonObject): readonly JsonValue[] {
  return [...listOfMember(any), ...listOfMember(oneOf)]
}

/** Whether a schema says by itself what the value is, so that its alternatives only narrow it. */
function saysOwnShape({ type, properties, items }: JsonObject): boolean {
  return type !== undefined || properties !== undefined || items !== undefined
}

/** The types of a schema; those that its other members tell of where it names none. */
function typesOf(schema: JsonObject): string[] {
  const named = typeof schema.type === 'string' ? [schema.type] : listOfMember(schema.type)
  const known = named.filter((type) => typeof type === 'string')
  if (known.length > 0) return known
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return ['object']
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ['array']
  const values = schema.const === undefined ? listOfMember(schema.enum) : [schema.const]
  return [...new Set(values.filter((value) => value !== null).map((value) => typeof value))]
}

function hasNull(values: JsonValue | undefined): boolean {
  return listOfMember(values).includes(null)
}

/** `enum` is for text alone, so other values are told in words. */
function describe(type: string, schema: JsonObject): string {
  const description = textOfMember(schema.description) ?? ''
  const values = type === 'integer' || type === 'number' ? valuesOf(schema).filter(Number.isFinite) : []
  return values.length === 0 ? description : `${description} One of: ${values.join(', ')}.`.trim()
}

function valuesOf({ enum: values, const: value }: JsonObject): readonly JsonValue[] {
  return value === undefined ? listOfMember(values) : [value]
}

function textRules(schema: JsonObject): Partial<GeminiSchema> {
  const values = valuesOf(schema).filter((value) => typeof value === 'string' && value !== '') as string[] // proved: filtered
  const format = schema.format === 'date-time' ? { format: schema.format } : {}
  return values.length > 0
    ? { format: 'enum', enum: values }
    : { ...format, ...counts(schema, 'minLength', 'maxLength') }
}

function numberRules({ minimum, maximum }: JsonObject): Partial<GeminiSchema> {
  return {
    ...(typeof minimum === 'number' ? { minimum } : {}),
    ...(typeof maximum === 'number' ? { maximum } : {}),
  }
}

function counts(schema: JsonObject, ...names: readonly (keyof GeminiSchema)[]): Partial<GeminiSchema> {
  return Object.fromEntries(names.flatMap((name) => (isCount(schema[name]) ? [[name, String(schema[name])]] : [])))
}

function isCount(value: JsonValue | undefined): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function neededByAll(alternatives: readonly JsonObject[]): string[] {
  const [first, ...others] = alternatives.map(requiredOf)
  return first?.filter((name) => others.every((other) => other.includes(name))) ?? []
}

function requiredOf({ required }: JsonObject): string[] {
  return listOfMember(required).filter((name) => typeof name === 'string')
}
