/** Runs the crash tests at every kill point, in this process, and ends with one line of counts. */
import { root, setUp } from './set-up.mjs'

await setUp()
process.chdir(root)
process.env.LOOPRIG_CRASH_MATRIX = 'all'
process.stderr.write('looprig: killing a session around every append; this takes some minutes ...\n')
const { startVitest } = await import('vitest/node')
const vitest = await startVitest('test', ['packages/harness/test/crash'], { root, run: true, watch: false })
const { points, failures } = count(vitest)
await vitest.close()
process.stdout.write(`${points} kill points, ${failures} failures\n`)
if (points === 0 || failures > 0) process.exitCode = 1

/**
 * Counts the kill points that the tests looked at, and the failures: each point at which a test failed, and each other
 * thing that went wrong.
 *
 * @param {import('vitest/node').Vitest} run
 */
function count(run) {
  const modules = run.state.getTestModules()
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const told = tests.map((test) => /** @type {KillPoints | undefined} */ (Reflect.get(test.meta(), 'killPoints')))
  const all = new Set(told.flatMap((points) => points?.all ?? []))
  const failed = new Set(told.flatMap((points) => points?.failed ?? []))
  const others = tests.filter((test, index) => !test.ok() && !told[index]?.failed.length)
  const errors = [
    ...modules.flatMap((module) => [module, ...module.children.allSuites()].flatMap((part) => part.errors())),
    ...run.state.getUnhandledErrors(),
  ]
  return { points: all.size, failures: failed.size + others.length + errors.length }
}

/** @typedef {{readonly all: readonly string[], readonly failed: readonly string[]}} KillPoints */
