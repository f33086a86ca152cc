/** Runs the built assistant as if `node main.js ARGS` had been called: its signals and exit code are this process's. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, setUp } from './set-up.mjs'

await setUp()
const program = join(root, 'examples', 'assistant', 'dist', 'main.js')
process.argv.splice(1, 1, program)
await import(pathToFileURL(program).href)
