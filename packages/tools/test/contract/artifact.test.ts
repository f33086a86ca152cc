import { ArtifactError, seal, type ToolRequest } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { frozenJsonCopy } from '../../src/contract/json-copy.ts'
import { newExecutionId } from '../support/call-tool.ts'

const request: ToolRequest = { toolName: 'T', summary: 's', requirements: [] }

function sealing(artifact: unknown) {
  return () => seal({ executionId: newExecutionId(), request, artifact })
}

function cycle(): unknown {
  const value: { self?: unknown } = {}
  value.self = value
  return value
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}

describe('an artifact', () => {
  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'artifact'],
    ['a function', { run: () => 1 }, 'artifact.run'],
    ['a symbol', { a: [Symbol('x')] }, 'artifact.a[0]'],
    ['a bigint', { n: 1n }, 'artifact.n'],
    ['NaN', { n: Number.NaN }, 'artifact.n'],
    ['an infinite number', [Number.POSITIVE_INFINITY], 'artifact[0]'],
    ['a date', { at: new Date(0) }, 'artifact.at'],
    ['a map', new Map(), 'artifact'],
    ['bytes', { b: new Uint8Array(1) }, 'artifact.b'],
    ['a class instance', { e: new Error('x') }, 'artifact.e'],
    ['an array of a class', new (class extends Array {})(), 'artifact'],
    [
      'an accessor',
      {
        get late() {
          return 1
        },
      },
      'artifact.late',
    ],
    ['a hidden property', Object.defineProperty({}, 'h', { value: 1, enumerable: false }), 'artifact.h'],
    ['a symbol key', { [Symbol('k')]: 1 }, 'artifact'],
    ['a hole', { a: Array(1) }, 'artifact.a[0]'],
    ['an array with other properties', Object.assign([1], { extra: 2 }), 'artifact'],
    ['a cycle', cycle(), 'artifact.self'],
    ['deep nesting', nested(70), `artifact${'[0]'.repeat(64)}`],
  ])('is refused with %s, by its path', (_name, artifact, path) => {
    expect(sealing(artifact)).toThrow(ArtifactError)
    expect(sealing(artifact)).toThrow(expect.objectContaining({ code: 'artifact_not_json', path }))
  })

  it.each([[null], ['text'], [0], [true], [[]], [{ a: { b: [1, 'x', null] } }]])('may be %j', (artifact) => {
    expect(frozenJsonCopy(artifact)).toEqual(artifact)
    expect(sealing(artifact)).not.toThrow()
  })

  it('is copied deeply and frozen all the way down', () => {
    const artifact = { list: [{ deep: 'x' }] }

    const copy = frozenJsonCopy(artifact) as typeof artifact // a copy keeps the shape

    expect(copy.list[0]).not.toBe(artifact.list[0])
    expect([copy, copy.list, copy.list[0]].every(Object.isFrozen)).toBe(true)
    expect(Object.isFrozen(artifact)).toBe(false)
  })

  it('keeps a member named __proto__ as data', () => {
    const copy = frozenJsonCopy(JSON.parse('{"__proto__":{"admin":true}}'))

    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true}}')
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })

  it('is read once, so a value that changes between two reads cannot slip through', () => {
    let reads = 0
    const shifty = new Proxy(
      { path: 'a' },
      {
        getOwnPropertyDescriptor: (target, key) => {
          reads += 1
          const found = Reflect.getOwnPropertyDescriptor(target, key)
          return found === undefined ? undefined : { ...found, value: `read ${reads}` }
        },
      },
    )

    expect(frozenJsonCopy(shifty)).toEqual({ path: 'read 1' })
  })

  it('drops members that are undefined, as JSON does', () => {
    expect(Object.keys(frozenJsonCopy({ a: undefined, b: 1 }) as object)).toEqual(['b'])
  })
})
