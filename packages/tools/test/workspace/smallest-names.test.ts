import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SmallestNames } from '../../src/workspace/glob/smallest-names.ts'

describe('SmallestNames', () => {
  it('keeps the first names in order, whatever the order in which they come', () => {
    const property = fc.property(
      fc.array(fc.string({ maxLength: 3 })),
      fc.integer({ min: 1, max: 5 }),
      (names, limit) => {
        const smallest = new SmallestNames(limit)
        const all = [...new Set(names)].sort()

        for (const name of names) smallest.add(name)

        expect(smallest.sorted()).toEqual(all.slice(0, limit))
        expect(smallest.isTruncated).toBe(all.length > limit)
      },
    )

    fc.assert(property, { numRuns: 200 })
  })
})
