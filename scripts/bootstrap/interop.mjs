/** Runs the tests of `interop/`, in this process and from the clone's folder. It has its own lockfile, for five SDKs. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installFolder } from './install-folder.mjs'
import { root, setUp } from './set-up.mjs'

await setUp()
if (!(await installFolder('interop', 'the SDKs and the mock server of the interop tests'))) process.exit(1)
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
process.argv.splice(1, 1, vitest, 'run', '--config', join(root, 'interop', 'vitest.config.ts'))
process.chdir(root)
await import(pathToFileURL(vitest).href)
