import { it } from 'vitest'
import { play } from './play.ts'
const [script, options] = JSON.parse(process.env.SCRIPT ?? '[[]]')
it('one', () => play(script, options ?? {}), 60000)
