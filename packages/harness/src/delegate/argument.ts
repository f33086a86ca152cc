import { byteLength, data, type JsonObject, type JsonValue, type Schema } from '@looprig/core'

/** One argument of a tool: as the model sees it, and how it is read. */
export interface Argument<T> {
  readonly jsonSchema: JsonObject
  readonly schema: Schema<T>
  /** What else must be true of it: says what is expected when it is not. */
  readonly expected: (value: T) => string | undefined
  /** What stands for one that is not there; no entry where it must be there. */
  readonly absent: { readonly value: T | undefined } | undefined
}

/** The arguments of a tool by name. */
export type Arguments<T extends object> = { readonly [K in keyof T]-?: Argument<T[K]> }

/** What is wrong with arguments: a member that is not known or not there, or what was expected of it. */
export interface ArgumentFault {
  readonly name: string
  readonly what: 'unknown' | 'missing' | { readonly expected: string }
}

const anything = () => undefined

/** A text that is not blank, of at most `maxBytes`. */
export function textArgument(description: string, maxBytes = Number.POSITIVE_INFINITY): Argument<string> {
  return {
    jsonSchema: { type: 'string', description },
    schema: data.string(),
    expected: (text) => {
      if (text.trim() === '') return 'expected a text that is not blank'
      return byteLength(text) > maxBytes ? `expected at most ${maxBytes} bytes` : undefined
    },
    absent: undefined,
  }
}

/** One of some texts. */
export function choiceArgument(description: string, choices: readonly string[]): Argument<string> {
  const expected = `expected one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`
  return {
    jsonSchema: { type: 'string', enum: choices, description },
    schema: data.string(),
    expected: (text) => (choices.includes(text) ? undefined : expected),
    absent: undefined,
  }
}

/** A whole number from 0 to `max`; 0 when it is not there. */
export function countArgument(description: string, max: number): Argument<number> {
  return {
    jsonSchema: { type: 'integer', minimum: 0, maximum: max, default: 0, description },
    schema: data.int(),
    expected: (count) => (count > max ? `expected at most ${max}` : undefined),
    absent: { value: 0 },
  }
}

/** `true` when it is not there; with `only`, it cannot be anything else. */
export function trueArgument(description: string, options: { readonly only: boolean }): Argument<boolean> {
  return {
    jsonSchema: { type: 'boolean', ...(options.only ? { const: true } : {}), default: true, description },
    schema: options.only ? data.literal(true) : data.boolean(),
    expected: anything,
    absent: { value: true },
  }
}

/** The same argument, which need not be there. */
export function optionalArgument<T>(argument: Argument<T>): Argument<T | undefined> {
  return {
    ...argument,
    expected: (value) => (value === undefined ? undefined : argument.expected(value)),
    absent: { value: undefined },
  }
}

/** The JSON Schema of an object with exactly these arguments. */
export function showArguments(args: { readonly [name: string]: Argument<never> }): JsonObject {
  const all = Object.entries(args)
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(([name, { jsonSchema }]) => [name, jsonSchema])),
    required: all.filter(([, { absent }]) => absent === undefined).map(([name]) => name),
    additionalProperties: false,
  }
}

/** Reads an object that has these arguments and no others. */
export function readArguments<T extends object>(
  args: Arguments<T>,
  value: JsonObject,
): T | { readonly fault: ArgumentFault } {
  const read: { [name: string]: JsonValue | undefined } = {}
  // proved: `Arguments` is an argument for each name, of a type that JSON has
  for (const [name, argument] of Object.entries<Argument<JsonValue | undefined>>(args as never)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given === undefined) {
      if (argument.absent === undefined) return { fault: { name, what: 'missing' } }
      read[name] = argument.absent.value
      continue
    }
    const reading = argument.schema.safeParse(given)
    const expected = reading.success ? argument.expected(reading.data) : `expected ${typeOf(argument)}`
    if (expected !== undefined) return { fault: { name, what: { expected } } }
    read[name] = typeof given === 'string' ? given.toWellFormed() : given
  }
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(args, name))
  if (unknown !== undefined) return { fault: { name: unknown, what: 'unknown' } }
  return read as T // proved: each member was read by the argument of its name
}

function typeOf({ jsonSchema }: Pick<Argument<never>, 'jsonSchema'>): string {
  return 'const' in jsonSchema ? String(jsonSchema.const) : `a ${String(jsonSchema.type)}`
}
