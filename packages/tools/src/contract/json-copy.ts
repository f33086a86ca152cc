import type { JsonValue } from '@looprig/core'
import { ArtifactError } from './errors.ts'

/** How deep an artifact may nest. */
const maxDepth = 64

/**
 * Copies plain JSON data and freezes the copy. Each own property is read once, so a value that changes between two
 * reads cannot slip through.
 *
 * @throws ArtifactError naming the part that is no JSON data: an accessor, function, class instance, cycle, ...
 */
export function frozenJsonCopy(value: unknown, path = 'artifact'): JsonValue {
  return copyPart(value, path, [])
}

function copyPart(value: unknown, path: string, above: readonly object[]): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new ArtifactError(path, 'a number that is not finite')
    return value
  }
  if (typeof value !== 'object') throw new ArtifactError(path, `a ${typeof value}`)
  if (above.includes(value)) throw new ArtifactError(path, 'a cycle')
  if (above.length >= maxDepth) throw new ArtifactError(path, 'nesting this deep')
  const below = [...above, value]
  return Array.isArray(value) ? copyArray(value, path, below) : copyObject(value, path, below)
}

function copyArray(value: readonly unknown[], path: string, above: readonly object[]): JsonValue {
  if (Object.getPrototypeOf(value) !== Array.prototype) throw new ArtifactError(path, 'a class instance')
  const length = value.length
  const copy: JsonValue[] = []
  for (let index = 0; index < length; index += 1) {
    copy.push(copyPart(readOwn(value, String(index), path), `${path}[${index}]`, above))
  }
  if (Reflect.ownKeys(value).length !== length + 1) throw new ArtifactError(path, 'an array with other properties')
  return Object.freeze(copy)
}

function copyObject(value: object, path: string, above: readonly object[]): JsonValue {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new ArtifactError(path, 'a class instance')
  const copy: { [key: string]: JsonValue } = {}
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') throw new ArtifactError(path, 'a symbol key')
    const part = readOwn(value, key, path)
    if (part === undefined) continue
    // `__proto__` would set the prototype by plain assignment
    Object.defineProperty(copy, key, { value: copyPart(part, `${path}.${key}`, above), enumerable: true })
  }
  return Object.freeze(copy)
}

function readOwn(value: object, key: string, path: string): unknown {
  const property = Object.getOwnPropertyDescriptor(value, key)
  if (property === undefined) throw new ArtifactError(`${path}.${key}`, 'a hole')
  if (!('value' in property)) throw new ArtifactError(`${path}.${key}`, 'an accessor')
  if (property.enumerable !== true) throw new ArtifactError(`${path}.${key}`, 'a hidden property')
  return property.value
}
