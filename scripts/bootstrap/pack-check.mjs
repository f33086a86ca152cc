/** Proves the packages as they are published: sets the clone up, then packs, installs and uses them elsewhere. */
import { endedBySignals } from './interrupt.mjs'
import { root, setUp } from './set-up.mjs'
import { InterruptedError } from './set-up-error.mjs'

await setUp()
const { runPackCheck } = await import('../pack/run-pack-check.mjs')
try {
  process.exitCode = await endedBySignals((signal) => runPackCheck(root, process.argv.slice(2), signal))
} catch (error) {
  if (!(error instanceof InterruptedError)) throw error
  process.exitCode = 130
}
