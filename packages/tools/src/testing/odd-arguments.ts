import { isJsonObject, type JsonObject, type JsonValue } from '@looprig/core'
import type { OddText } from './conformance-case.ts'

/** What stands for a value that no message may repeat. */
export const argumentSentinel = 'SENTINEL-7f3a9c'

/** Arguments with one of them changed to something that a tool must refuse. */
export interface OddArguments {
  /** The argument by name, a nested one by its path without indices. */
  readonly argument: string
  readonly argsJson: string
}

const oddTexts: Readonly<Record<OddText, string>> = {
  control: `${argumentSentinel}\u0000${argumentSentinel}`,
  overlong: argumentSentinel.repeat(Math.ceil((1_048_576 + 1) / argumentSentinel.length)),
  empty: '',
}

/** One variant for each text argument: those in `args`, and those that the schema has at its top. */
export function oddTextArguments(schema: JsonObject, args: JsonObject, odd: OddText): readonly OddArguments[] {
  const whole: { [name: string]: JsonValue } = { ...args }
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    if (!(name in whole) && typesOf(property).includes('string')) whole[name] = ''
  }
  return [...textPaths(whole, [])]
    .filter(([first]) => first !== undefined)
    .map((path) => ({ argument: nameOf(path), argsJson: JSON.stringify(replaced(args, path, oddTexts[odd])) }))
}

/** One variant for each argument that has a type, with a value of another. */
export function mistypedArguments(schema: JsonObject, args: JsonObject): readonly OddArguments[] {
  return Object.entries(propertiesOf(schema)).flatMap(([argument, property]) => {
    const types = typesOf(property)
    const wrong = Object.entries(valueOfType).find(([type]) => !types.includes(type))
    if (types.length === 0 || wrong === undefined) return []
    return [{ argument, argsJson: JSON.stringify({ ...args, [argument]: wrong[1] }) }]
  })
}

/** One variant for each required argument, without it. */
export function incompleteArguments(schema: JsonObject, args: JsonObject): readonly OddArguments[] {
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []
  return required.map((argument) => {
    const { [argument]: _, ...rest } = args
    return { argument, argsJson: JSON.stringify(rest) }
  })
}

const valueOfType: Readonly<Record<string, JsonValue>> = {
  string: argumentSentinel,
  object: { not_a_key: argumentSentinel },
  array: [argumentSentinel],
  boolean: true,
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return properties !== undefined && isJsonObject(properties) ? properties : {}
}

/** The JSON types that a schema takes, as far as it says; empty: it does not say. */
function typesOf(schema: JsonValue): readonly string[] {
  if (!isJsonObject(schema)) return []
  if (typeof schema.type === 'string') return [schema.type]
  const parts = schema.anyOf ?? schema.oneOf
  if (Array.isArray(parts)) {
    const types = parts.map(typesOf)
    return types.every((found) => found.length > 0) ? types.flat() : []
  }
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  return Array.isArray(values) ? values.map((value) => typeof value) : []
}

type Path = readonly (string | number)[]

function* textPaths(value: JsonValue, path: Path): Generator<Path> {
  if (typeof value === 'string') yield path
  else if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) yield* textPaths(part, [...path, index])
  } else if (isJsonObject(value)) {
    for (const [key, part] of Object.entries(value)) yield* textPaths(part, [...path, key])
  }
}

function nameOf(path: Path): string {
  return path.filter((step) => typeof step === 'string').join('.')
}

function replaced(value: JsonValue | undefined, [step, ...rest]: Path, leaf: string): JsonValue {
  if (step === undefined) return leaf
  if (Array.isArray(value)) return value.map((part, index) => (index === step ? replaced(part, rest, leaf) : part))
  const object = value !== undefined && isJsonObject(value) ? value : {}
  return { ...object, [step]: replaced(object[step], rest, leaf) }
}
