/** Runs `decode` over the built packages. Nothing but its lines goes to stdout. */
import { setUp } from './set-up.mjs'

await setUp()
const [{ decode, usage }, { run }] = await Promise.all([import('../wire/decode.mjs'), import('../wire/run.mjs')])
await run(decode, usage)
