/**
 * `node <script> <folder> <append> <before|after>`: runs the rich session, or restores the one that is there and goes
 * on with it, and kills itself at that append of its own.
 */
import { join } from 'node:path'
import type { SessionId } from '@looprig/core'
import { sqliteStore } from '@looprig/store/sqlite'
import { faultAt, faultyStore } from '../../src/testing.ts'
import { driveRichSession, richRig } from '../restore/rich-session.ts'
import { goOn } from './go-on.ts'
import { recordEffect } from './recorded-effects.ts'

const [folder = '', append = '', when = ''] = process.argv.slice(2)

const die = () => void process.kill(process.pid, 'SIGKILL')
const plan = faultAt(Number(append), { kind: 'hooked', [when]: die })
const store = faultyStore(sqliteStore({ path: join(folder, 'sessions.db') }), plan)
const world = {
  effect: (executionId: string) => recordEffect(folder, executionId),
  pause: () => new Promise<void>((resolve) => setTimeout(resolve, 90)),
}
const rig = richRig({ store, world })
const [left] = await store.ledger.list()
// proved: only a rig gave names in this store, and they are session ids
const session = left === undefined ? await rig.newSession() : await rig.restoreSession(left.session as SessionId)
await (left === undefined ? driveRichSession(session) : goOn(session))
await session.shutdown()
await store.close()
