/** Runs `explain` over the built packages. Nothing but its lines goes to stdout. */
import { setUp } from './set-up.mjs'

await setUp()
const { run } = await import('../explain/run.mjs')
await run()
