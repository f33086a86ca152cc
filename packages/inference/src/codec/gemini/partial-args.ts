import { isJsonObject, type JsonObject, type JsonValue } from '@looprig/core'
import { listOfMember, objectOfMember, textOfMember } from '../../wire/json-members.ts'

type Args = { [key: string]: unknown } | unknown[]

/** How many steps the path of one value may have. */
const maxSteps = 64

/**
 * Puts the arguments of a call together that come value by value, each with its path. Whatever cannot be put in its
 * place spoils all of it: half of the arguments must not pass for the whole.
 */
export class PartialArgs {
  readonly #root: { [key: string]: unknown } = {}
  /** The path of a text that is to be continued. */
  #continued: string | undefined
  #spoiled = false

  /** Takes the `partialArgs` of one part. */
  take(values: JsonValue | undefined): void {
    for (const value of listOfMember(values)) this.#takeValue(objectOfMember(value))
  }

  /** Takes arguments that came as an object after all. */
  takeWhole(args: JsonObject): void {
    for (const [key, value] of Object.entries(args)) put(this.#root, key, value)
  }

  /** What is there is not all: the rest never came. */
  spoil(): void {
    this.#spoiled = true
  }

  /** The text of the arguments; no JSON object where they are spoiled. */
  json(): string {
    return this.#spoiled ? '"arguments that could not be put together"' : JSON.stringify(this.#root)
  }

  #takeValue(value: JsonObject | undefined): void {
    const path = textOfMember(value?.jsonPath)
    const steps = path === undefined ? undefined : stepsOf(path)
    const content = value === undefined ? undefined : contentOf(value)
    const last = steps?.pop()
    const place = steps === undefined ? undefined : this.#descend(steps, last)
    if (last === undefined || place === undefined || content === undefined || !this.#set(place, last, path, content)) {
      this.#spoiled = true
      return
    }
    this.#continued = value?.willContinue === true ? path : undefined
  }

  #set(place: Args, last: string | number, path: string | undefined, content: JsonValue): boolean {
    const before = get(place, last)
    const isMore = this.#continued === path && typeof before === 'string' && typeof content === 'string'
    return put(place, last, isMore ? before + content : content)
  }

  /** The object or list that holds the last step; made where it is not there yet. */
  #descend(steps: readonly (string | number)[], last: string | number | undefined): Args | undefined {
    let at: Args = this.#root
    for (const [depth, step] of steps.entries()) {
      const known: unknown = get(at, step)
      const next = known ?? (typeof (steps[depth + 1] ?? last) === 'number' ? [] : {})
      if (!isArgs(next) || (known === undefined && !put(at, step, next))) return undefined
      at = next
    }
    return at
  }
}

function contentOf(value: JsonObject): JsonValue | undefined {
  if (typeof value.stringValue === 'string') return value.stringValue
  if (typeof value.numberValue === 'number') return value.numberValue
  if (typeof value.boolValue === 'boolean') return value.boolValue
  return 'nullValue' in value ? null : undefined
}

/** Reads a path such as `$.a.b[0]['c d']`; `undefined` for any other form. */
function stepsOf(path: string): (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined
  const steps: (string | number)[] = []
  const pattern = /\.([^.[\]'"*]+)|\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\]/y
  pattern.lastIndex = 1
  while (pattern.lastIndex < path.length) {
    const found = pattern.exec(path)
    if (found === null || steps.length >= maxSteps) return undefined
    const [, plain, index, single, double] = found
    steps.push(index === undefined ? (plain ?? single ?? double ?? '') : Number(index))
  }
  return steps
}

function isArgs(value: unknown): value is Args {
  return Array.isArray(value) || isJsonObject(value)
}

function get(place: Args, step: string | number): unknown {
  if (Array.isArray(place)) return typeof step === 'number' ? place[step] : undefined
  return Object.hasOwn(place, step) ? place[step] : undefined
}

/** Puts a value where it belongs: a list grows one by one, and no name reaches the prototype. */
function put(place: Args, step: string | number, value: unknown): boolean {
  if (Array.isArray(place)) {
    if (typeof step !== 'number' || step > place.length) return false
    place[step] = value
    return true
  }
  if (typeof step === 'number') return false
  Object.defineProperty(place, step, { value, writable: true, enumerable: true, configurable: true })
  return true
}
