import { isJsonObject } from '../json/json-value.ts'
import { objectSchema } from './object-schema.ts'
import { type Fault, faultBelow, Schema } from './schema.ts'

/** Fits what `fits` says. */
function where<T>(fits: (value: unknown) => boolean, expected: string): Schema<T> {
  const fault = here(expected)
  return new Schema({ faultOf: (value) => (fits(value) ? undefined : fault) })
}

/** A fault of the value itself. */
function here(expected: string): Fault {
  return Object.freeze({ path: Object.freeze([]), expected })
}

function string({ min = 0, max = Number.POSITIVE_INFINITY } = {}): Schema<string> {
  return where((value) => typeof value === 'string' && value.length >= min && value.length <= max, 'expected a text')
}

function number({ min = Number.NEGATIVE_INFINITY } = {}): Schema<number> {
  const fits = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= min
  return where(fits, 'expected a number')
}

/** A whole number of at least `min`. */
function int({ min = 0 } = {}): Schema<number> {
  const fits = (value: unknown) => typeof value === 'number' && Number.isSafeInteger(value) && value >= min
  return where(fits, `expected a whole number of at least ${min}`)
}

function boolean(): Schema<boolean> {
  return where((value) => typeof value === 'boolean', 'expected true or false')
}

function literal<const T extends string | number | boolean>(expected: T): Schema<T> {
  return where((value) => value === expected, `expected ${JSON.stringify(expected)}`)
}

function oneOf<const T extends string>(expected: readonly T[]): Schema<T> {
  const all: ReadonlySet<unknown> = new Set(expected)
  return where((value) => all.has(value), `expected one of ${expected.join(', ')}`)
}

const noList = here('expected a list')

function array<T>(item: Schema<T>, { max = Number.POSITIVE_INFINITY } = {}): Schema<readonly T[]> {
  const tooLong: Fault = Object.freeze({ ...here(`expected at most ${max} items`), isTooLarge: true })
  return new Schema({
    faultOf: (value) => {
      if (!Array.isArray(value)) return noList
      return value.length > max ? tooLong : faultOfItems(item, value, 0)
    },
  })
}

/** One of `first`, then any number of `rest`. */
function sequence<First, Rest>(first: Schema<First>, rest: Schema<Rest>): Schema<readonly [First, ...Rest[]]> {
  return new Schema({
    faultOf: (value) => {
      if (!Array.isArray(value) || value.length === 0) return noList
      const fault = first.faultOf(value[0])
      return fault === undefined ? faultOfItems(rest, value, 1) : faultBelow(0, fault)
    },
  })
}

function faultOfItems(item: Schema<unknown>, items: readonly unknown[], from: number): Fault | undefined {
  for (let index = from; index < items.length; index += 1) {
    const fault = item.faultOf(items[index])
    if (fault !== undefined) return faultBelow(index, fault)
  }
  return undefined
}

/** Told apart by the text of one member; a text that no schema is for does not fit. */
function byMember<T>(name: string, schemas: { readonly [text: string]: Schema<T> }): Schema<T> {
  const byText = new Map<unknown, Schema<T>>(Object.entries(schemas))
  const noObject = here('expected an object')
  const unknown = faultBelow(name, here(`expected one of ${Object.keys(schemas).join(', ')}`))
  return new Schema({
    faultOf: (value) => {
      if (!isJsonObject(value)) return noObject
      const schema = byText.get(value[name])
      return schema === undefined ? unknown : schema.faultOf(value)
    },
  })
}

/** A schema that is made when it is first used, for one that contains itself. */
function lazy<T>(make: () => Schema<T>): Schema<T> {
  let made: Schema<T> | undefined
  return new Schema({
    faultOf: (value) => {
      made ??= make()
      return made.faultOf(value)
    },
  })
}

/** Reads a value in the form that `repair` gives it. `repair` changes nothing: it returns the value or another one. */
function repaired<T>(schema: Schema<T>, repair: (value: unknown) => unknown): Schema<T> {
  return new Schema({ repair, faultOf: schema.faultOf })
}

/** The schemas of which others are made. */
export const data = Object.freeze({
  where,
  string,
  number,
  int,
  boolean,
  literal,
  oneOf,
  array,
  sequence,
  byMember,
  lazy,
  repaired,
  object: objectSchema,
})
