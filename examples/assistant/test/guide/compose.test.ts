import { describe, expect, it } from 'vitest'
import { compose } from '../../src/guide/compose.ts'

const rows = (count: number): string[] => Array.from({ length: count }, (_, index) => `a.ts:${index + 1}  x`)

describe('compose', () => {
  it('indents quoted rows, so that they are a code block', () => {
    const text = compose({ opening: 'Found.', parts: [{ lines: ['a.md:1  # no heading'] }] })

    expect(text).toBe('Found.\n\n    a.md:1  # no heading')
  })

  it('never has more than thirty lines, and keeps the notes', () => {
    const parts = [
      { lines: rows(90), most: 20 },
      { title: 'More', lines: rows(90) },
      { title: 'Last', lines: rows(9) },
    ]

    const lines = compose({ opening: 'Found.', parts, notes: ['One.'] }, ['Two.', 'Three.', 'Four.']).split('\n')

    expect(lines).toHaveLength(30)
    expect(lines.slice(-3)).toEqual(['One.', 'Two.', 'Three.'])
  })

  it('tells how many rows it leaves out', () => {
    const text = compose({ opening: 'Found.', parts: [{ lines: rows(10), most: 4 }] })

    expect(text.split('\n').at(-1)).toBe('    … and 7 more')
  })

  it('leaves out a part without rows', () => {
    expect(compose({ opening: 'Found.', parts: [{ title: 'None', lines: [] }] })).toBe('Found.')
  })
})
