/** Runs vitest once, in this process and from the clone's folder. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, setUp } from './set-up.mjs'

await setUp()
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
process.argv.splice(1, 1, vitest, 'run')
process.chdir(root)
await import(pathToFileURL(vitest).href)
