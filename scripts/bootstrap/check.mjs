/** Runs the checks. Only the install comes first: the build is one of them. */
import { root, setUp } from './set-up.mjs'

await setUp({ build: false })
const { runChecks } = await import('../check/run-checks.mjs')
process.exitCode = await runChecks(root, process.argv.slice(2))
