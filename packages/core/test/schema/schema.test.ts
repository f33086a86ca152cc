import { ContentError, data, type Fault, type Schema } from '@looprig/core'
import { describe, expect, it } from 'vitest'

interface Place {
  readonly name: string
  readonly size?: number
  readonly note?: string | undefined
}

const place = data.object<Place>()({
  name: data.string({ min: 1, max: 4 }),
  size: data.int({ min: 1 }).exactOptional(),
  note: data.string().optional(),
})

function pathOf(schema: Schema<unknown>, value: unknown): string | undefined {
  return schema.faultOf(value)?.path.join('.')
}

describe('a schema', () => {
  it('returns the value itself, with the members that it does not know', () => {
    const value = { name: 'here', later: { kept: true } }

    const read = place.parse(value)

    expect(read).toBe(value)
    expect(read).toEqual({ name: 'here', later: { kept: true } })
  })

  it.each<readonly [string, unknown, string]>([
    ['no object', 'here', ''],
    ['a list', [], ''],
    ['null', null, ''],
    ['a member that is missing', {}, 'name'],
    ['a member of another type', { name: 7 }, 'name'],
    ['a text that is too short', { name: '' }, 'name'],
    ['a text that is too long', { name: 'there' }, 'name'],
    ['half a number', { name: 'a', size: 1.5 }, 'size'],
    ['a number that is too small', { name: 'a', size: 0 }, 'size'],
    ['no number', { name: 'a', size: Number.NaN }, 'size'],
    ['an exact member that is undefined', { name: 'a', size: undefined }, 'size'],
  ])('tells where %s does not fit', (_, value, path) => {
    expect(pathOf(place, value)).toBe(path)
  })

  it('lets an optional member be absent, and undefined where that is said', () => {
    expect(pathOf(place, { name: 'a', note: undefined })).toBeUndefined()
    expect(pathOf(place, { name: 'a' })).toBeUndefined()
  })

  it('tells the whole path, also through lists', () => {
    const deep = data.object<{ readonly all: readonly Place[] }>()({ all: data.array(place) })

    expect(deep.faultOf({ all: [{ name: 'a' }, { name: 'b', size: 'x' }] })?.path).toEqual(['all', 1, 'size'])
  })

  it('throws an error that names the part and quotes nothing', () => {
    const reading = () => data.array(place).parse([{ name: 'secret' }])

    expect(reading).toThrow(ContentError)
    expect(reading).toThrow(expect.objectContaining({ code: 'content_invalid', field: '[0].name' }))
    expect(reading).not.toThrow('secret')
  })

  it('says when there is too much', () => {
    expect(() => data.array(place, { max: 0 }).parse([{ name: 'a' }])).toThrow(
      expect.objectContaining({ code: 'content_too_large' }),
    )
  })
})

describe('data', () => {
  it('tells objects apart by a member', () => {
    const either = data.byMember<{ readonly type: 'a' | 'b' }>('type', {
      a: data.object<{ readonly type: 'a' }>()({ type: data.literal('a') }),
      b: data.object<{ readonly type: 'b'; readonly size: number }>()({ type: data.literal('b'), size: data.number() }),
    })

    expect(pathOf(either, { type: 'a' })).toBeUndefined()
    expect(pathOf(either, { type: 'b' })).toBe('size')
    expect(pathOf(either, { type: 'toString' })).toBe('type')
    expect(pathOf(either, {})).toBe('type')
  })

  it('reads one of a kind and then any number of another', () => {
    const line = data.sequence(data.literal(0), data.literal(1))

    expect([[0], [0, 1, 1]].map((value) => pathOf(line, value))).toEqual([undefined, undefined])
    expect([[], [1], [0, 0], {}].map((value) => pathOf(line, value))).toEqual(['', '0', '1', ''])
  })

  it('takes exactly the texts that are listed', () => {
    const color = data.oneOf(['red', 'green'])

    expect(['red', 'blue', 'constructor', undefined].map((value) => pathOf(color, value))).toEqual([
      undefined,
      '',
      '',
      '',
    ])
  })

  it('reads a member in the form that it is repaired to, and leaves the object that was there alone', () => {
    const written = Object.freeze({ low: -1, high: 2 })
    const high = data.repaired(data.object<{ high: number }>()({ high: data.int() }), (value) =>
      value === written ? { high: 2 } : value,
    )
    const outer = { part: written }

    const read = data.object<{ part: { high: number } }>()({ part: high }).parse(outer)

    expect(read.part).toEqual({ high: 2 })
    expect(written).toEqual({ low: -1, high: 2 })
  })

  it('asks for one more thing only of what fits', () => {
    const odd: Fault = { path: [], expected: 'expected an even length' }
    const even = data.string().and((text) => (text.length % 2 === 0 ? undefined : odd))

    expect(['ab', 'a', 7].map((value) => even.faultOf(value)?.expected)).toEqual([
      undefined,
      'expected an even length',
      'expected a text',
    ])
  })

  it('reads what contains itself', () => {
    interface Tree {
      readonly parts: readonly Tree[]
    }
    const tree: Schema<Tree> = data.object<Tree>()({ parts: data.lazy(() => data.array(tree)) })

    expect(pathOf(tree, { parts: [{ parts: [] }] })).toBeUndefined()
    expect(pathOf(tree, { parts: [{ parts: 7 }] })).toBe('parts.0.parts')
  })
})
