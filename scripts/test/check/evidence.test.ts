import { describe, expect, it } from 'vitest'
import { checkEvidence } from '../../check/evidence.mjs'
import { tempTree } from '../temp-tree.ts'

const tests = `
describe('seal', () => {
  it('freezes a copy', () => {})
  describe.each([1])('of a tool', () => {
    it.skipIf(true)(\`refuses an accessor\`, () => {})
  })
})
test('stands alone', () => {})
`

function problemsOf(evidence: unknown): string[] {
  return checkEvidence(tempTree({ 'docs/evidence.json': JSON.stringify(evidence), 'a.test.ts': tests }))
}

describe('checkEvidence', () => {
  it('accepts titles with and without those of their describes', () => {
    const evidence = {
      A1: 'a.test.ts > freezes a copy',
      A2: ['a.test.ts > seal > of a tool > refuses an accessor', 'a.test.ts > stands alone'],
    }

    expect(problemsOf(evidence)).toEqual([])
  })

  it('finds a missing file, a missing title and a text of another form', () => {
    const evidence = { A1: 'gone.test.ts > x', A2: 'a.test.ts > a copy', A3: 'a.test.ts' }

    expect(problemsOf(evidence)).toEqual([
      'A1: gone.test.ts does not exist',
      'A2: a.test.ts has no test "a copy"',
      'A3: a.test.ts is not "file > test name"',
    ])
  })

  it('does not take the title of a describe for a test', () => {
    expect(problemsOf({ A1: 'a.test.ts > seal' })).toHaveLength(1)
  })

  it('has nothing to check without the file', () => {
    expect(checkEvidence(tempTree())).toEqual([])
  })
})
