/** Measures speed beside peers. `bench/` has a lockfile of its own, so that nothing else installs the peers. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installFolder } from './install-folder.mjs'
import { root, setUp } from './set-up.mjs'

await setUp()
// a peer that is missing afterwards is no reason to stop: the report says so
await installFolder('bench', 'the peers of the bench')
const program = join(root, 'bench', 'src', 'run.mjs')
process.argv.splice(1, 1, program)
await import(pathToFileURL(program).href)
