/** Runs `encode` over the built packages. Nothing but its lines goes to stdout. */
import { setUp } from './set-up.mjs'

await setUp()
const [{ encode, usage }, { run }] = await Promise.all([import('../wire/encode.mjs'), import('../wire/run.mjs')])
await run(encode, usage)
