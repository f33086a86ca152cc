/** `node <script> <folder> <append> <before|after>`: runs the rich session and kills itself at that append. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteStore } from '@looprig/store/sqlite'
import { faultAt, faultyStore } from '../../src/testing.ts'
import { driveRichSession, richRig } from '../restore/rich-session.ts'

const [folder = '', append = '', when = ''] = process.argv.slice(2)

const die = () => void process.kill(process.pid, 'SIGKILL')
const plan = faultAt(Number(append), { kind: 'hooked', [when]: die })
const store = faultyStore(sqliteStore({ path: join(folder, 'sessions.db') }), plan)
const world = {
  effect: (executionId: string) => appendFileSync(join(folder, 'effects'), `${executionId}\n`),
  pause: () => new Promise<void>((resolve) => setTimeout(resolve, 90)),
}
const session = await richRig({ store, world }).newSession()
await driveRichSession(session)
await session.shutdown()
await store.close()
