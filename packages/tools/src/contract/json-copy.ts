import type { JsonObject, JsonValue } from '@looprig/core'
import { ArtifactError } from './errors.ts'

/** How deep an artifact may nest. */
const maxDepth = 64

/**
 * Copies plain JSON data and freezes the copy. Each own property is read once, so a value that changes between two
 * reads cannot slip through.
 *
 * @throws ArtifactError naming the part that is no JSON data: an accessor, function, class instance, cycle, ...
 */
export function frozenJsonCopy(value: unknown, root = 'artifact'): JsonValue {
  return new JsonCopier(root).copy(value)
}

/** One copy on its way. Where it stands is a stack of keys, put into words only for an error. */
class JsonCopier {
  readonly #root: string
  readonly #above: object[] = []
  readonly #keys: (string | number)[] = []

  constructor(root: string) {
    this.#root = root
  }

  copy(value: unknown): JsonValue {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number') return Number.isFinite(value) ? value : this.#refuse('a number that is not finite')
    if (typeof value !== 'object') return this.#refuse(`a ${typeof value}`)
    if (this.#above.includes(value)) return this.#refuse('a cycle')
    if (this.#above.length >= maxDepth) return this.#refuse('nesting this deep')
    this.#above.push(value)
    const copy = Array.isArray(value) ? this.#copyArray(value) : this.#copyObject(value)
    this.#above.pop()
    return Object.freeze(copy)
  }

  #copyArray(value: readonly unknown[]): JsonValue[] {
    if (Object.getPrototypeOf(value) !== Array.prototype) return this.#refuse('a class instance')
    const length = value.length
    const copy: JsonValue[] = []
    for (let index = 0; index < length; index += 1) {
      this.#keys.push(index)
      copy.push(this.copy(this.#readOwn(value, index)))
      this.#keys.pop()
    }
    if (Reflect.ownKeys(value).length !== length + 1) return this.#refuse('an array with other properties')
    return copy
  }

  #copyObject(value: object): JsonObject {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return this.#refuse('a class instance')
    const copy: { [key: string]: JsonValue } = {}
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key === 'symbol') return this.#refuse('a symbol key')
      this.#keys.push(key)
      const part = this.#readOwn(value, key)
      if (part !== undefined) setOwn(copy, key, this.copy(part))
      this.#keys.pop()
    }
    return copy
  }

  #readOwn(value: object, key: string | number): unknown {
    const property = Object.getOwnPropertyDescriptor(value, key)
    if (property === undefined) return this.#refuse('a hole')
    if (!('value' in property)) return this.#refuse('an accessor')
    if (property.enumerable !== true) return this.#refuse('a hidden property')
    return property.value
  }

  #refuse(found: string): never {
    const below = this.#keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    throw new ArtifactError(this.#root + below.join(''), found)
  }
}

/** Plain assignment of `__proto__` would set the prototype. */
function setOwn(object: { [key: string]: JsonValue }, key: string, value: JsonValue): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true })
  else object[key] = value
}
