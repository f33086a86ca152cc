/** A vitest reporter that tells which tests were skipped, and why. */
import { relative } from 'node:path'

/** Prints one line per skipped test at the end of a run. */
export default class SkipReporter {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result()
        const reason = (result.state === 'skipped' && result.note) || 'no reason given'
        const file = relative(process.cwd(), module.moduleId)
        process.stdout.write(`skipped: ${file} > ${test.fullName}: ${reason}\n`)
      }
    }
  }
}
