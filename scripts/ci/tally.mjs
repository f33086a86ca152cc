/** The last line of a CI run: tests and checks counted together. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** @typedef {{passed: number, failed: number, skipped: number}} Counts */

/**
 * Counts a vitest JSON report. A file that failed before its first test, a run that ended badly without a failed test,
 * and a run without any test count as one failure each.
 *
 * @param {string | undefined} report the JSON text; nothing when vitest wrote none.
 * @param {number} exitCode vitest's.
 * @returns {Counts}
 */
export function countTests(report, exitCode) {
  const results = report === undefined ? undefined : JSON.parse(report)
  const passed = results?.numPassedTests ?? 0
  const broken = results?.testResults.filter(
    (/** @type {{status: string, assertionResults: {status: string}[]}} */ { status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  )
  const failed = (results?.numFailedTests ?? 0) + (broken?.length ?? 0)
  const skipped = (results?.numPendingTests ?? 0) + (results?.numTodoTests ?? 0)
  const isSilentFailure = failed === 0 && (exitCode !== 0 || passed === 0)
  return { passed, failed: failed + (isSilentFailure ? 1 : 0), skipped }
}

/**
 * Counts the report of the checks; no report is one failure.
 *
 * @param {string | undefined} report the JSON text.
 * @returns {Counts}
 */
export function countChecks(report) {
  return { skipped: 0, ...(report === undefined ? { passed: 0, failed: 1 } : JSON.parse(report)) }
}

/**
 * @param {string} path
 */
function readReport(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Counts the checks and any number of test runs.
 *
 * @param {readonly string[]} args the reports of checks, with commas between them, then for each run of vitest its report
 *   and its exit code.
 * @returns {Counts}
 */
export function tally([checks = '', ...runs]) {
  const counted = checks.split(',').map((path) => countChecks(readReport(path)))
  for (let at = 0; at < runs.length; at += 2) {
    counted.push(countTests(readReport(runs[at] ?? ''), Number(runs[at + 1])))
  }
  return counted.reduce((sum, counts) => ({
    passed: sum.passed + counts.passed,
    failed: sum.failed + counts.failed,
    skipped: sum.skipped + counts.skipped,
  }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed, skipped } = tally(process.argv.slice(2))
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
  process.exitCode = failed === 0 ? 0 : 1
}
