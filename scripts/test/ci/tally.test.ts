import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countChecks, countTests, tally } from '../../ci/tally.mjs'
import { tempTree } from '../temp-tree.ts'

interface Failure {
  readonly status: string
  readonly assertionResults: readonly { readonly status: string }[]
}

function report(passed: number, failed: number, skipped: number, testResults: readonly Failure[] = []): string {
  const counts = { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numTodoTests: 0 }
  return JSON.stringify({ ...counts, testResults })
}

describe('countTests', () => {
  it('takes the counts of a good run', () => {
    expect(countTests(report(12, 0, 3), 0)).toEqual({ passed: 12, failed: 0, skipped: 3 })
  })

  it('counts a file that fails before its first test', () => {
    const broken = { status: 'failed', assertionResults: [] }
    const known = { status: 'failed', assertionResults: [{ status: 'failed' }] }

    expect(countTests(report(5, 1, 0, [broken, known]), 1)).toEqual({ passed: 5, failed: 2, skipped: 0 })
  })

  it('counts a bad end without a failed test as one failure', () => {
    expect(countTests(report(5, 0, 0), 1)).toEqual({ passed: 5, failed: 1, skipped: 0 })
  })

  it('counts a run without a test, or without a report, as one failure', () => {
    expect(countTests(report(0, 0, 0), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })
})

describe('countChecks', () => {
  it('takes the counts of the report and fails without one', () => {
    expect(countChecks('{ "passed": 8, "failed": 1 }')).toEqual({ passed: 8, failed: 1, skipped: 0 })
    expect(countChecks(undefined)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })
})

describe('tally', () => {
  it('adds up the checks and every run of tests; a run that left no report is a failure', () => {
    const root = tempTree({
      'checks.json': '{ "passed": 8, "failed": 0 }',
      'tests.json': report(10, 0, 2),
      'interop.json': report(5, 1, 1),
    })
    const at = (name: string) => join(root, name)

    expect(tally([at('checks.json'), at('tests.json'), '0', at('interop.json'), '1'])).toEqual({
      passed: 23,
      failed: 1,
      skipped: 3,
    })
    expect(tally([at('checks.json'), at('tests.json'), '0', at('missing.json'), '1'])).toMatchObject({ failed: 1 })
  })
  it('adds up the reports of several checks; one that is missing is a failure', () => {
    const root = tempTree({
      'checks.json': '{ "passed": 8, "failed": 0 }',
      'pack.json': '{ "passed": 9, "failed": 1 }',
      'tests.json': report(10, 0, 0),
    })
    const both = (second: string) => [
      `${join(root, 'checks.json')},${join(root, second)}`,
      join(root, 'tests.json'),
      '0',
    ]

    expect(tally(both('pack.json'))).toEqual({ passed: 27, failed: 1, skipped: 0 })
    expect(tally(both('missing.json'))).toEqual({ passed: 18, failed: 1, skipped: 0 })
  })
})
