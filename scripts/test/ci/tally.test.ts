import { describe, expect, it } from 'vitest'
import { countChecks, countTests } from '../../ci/tally.mjs'

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
