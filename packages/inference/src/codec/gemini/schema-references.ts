import { isJsonObject, type JsonObject, type JsonValue } from '@looprig/core'
import { listOfMember, objectOfMember } from '../../wire/json-members.ts'

/** How often one reference may stand inside itself before the schema becomes vague. */
const maxRepeats = 2

/** Where a schema stands: how deep, and through which references. */
export interface SchemaPlace {
  readonly depth: number
  readonly references: readonly string[]
}

/** A schema with nothing in it that points elsewhere or must hold together with something else. */
export interface FlatSchema {
  readonly schema: JsonObject
  readonly place: SchemaPlace
}

/**
 * Resolves the references of one root schema and joins what must hold together. A reference that leads nowhere, or is
 * inside itself too often, becomes the type that it stands for and no more.
 */
export class SchemaReferences {
  readonly #root: JsonObject

  constructor(root: JsonObject) {
    this.#root = root
  }

  /** The schema without `$ref` and `allOf`. */
  flatten(schema: JsonObject, place: SchemaPlace): FlatSchema {
    const { $ref, allOf, ...own } = schema
    if ($ref === undefined && allOf === undefined) return { schema, place }
    const parts: JsonObject[] = [own]
    let at = place
    if (typeof $ref === 'string') {
      const target = this.#target($ref, at)
      at = { ...at, references: [...at.references, $ref] }
      const flat = this.flatten(target, at)
      at = flat.place
      parts.push(flat.schema)
    }
    for (const entry of listOfMember(allOf)) {
      if (!isJsonObject(entry) || at.references.length > maxReferences) continue
      const flat = this.flatten(entry, at)
      at = flat.place
      parts.push(flat.schema)
    }
    return { schema: parts.reduce(joined), place: at }
  }

  #target(reference: string, { references }: SchemaPlace): JsonObject {
    const found = this.#resolve(reference)
    if (found === undefined) return {}
    const repeats = references.filter((each) => each === reference).length
    return repeats < maxRepeats && references.length <= maxReferences ? found : vague(found)
  }

  #resolve(reference: string): JsonObject | undefined {
    if (reference !== '#' && !reference.startsWith('#/')) return undefined
    let at: JsonValue | undefined = this.#root
    for (const step of reference.split('/').slice(1)) {
      const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
      at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined
    }
    return objectOfMember(at)
  }
}

/** The most references on the way to one place. */
const maxReferences = 32

function vague({ type, description }: JsonObject): JsonObject {
  return {
    type: typeof type === 'string' ? type : 'object',
    ...(typeof description === 'string' ? { description } : {}),
  }
}

/** Both at once. What the first says of the whole outranks the second. */
function joined(first: JsonObject, second: JsonObject): JsonObject {
  const properties = { ...objectOfMember(second.properties), ...objectOfMember(first.properties) }
  const required = [...new Set([...listOfMember(first.required), ...listOfMember(second.required)])]
  return {
    ...second,
    ...first,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  }
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
