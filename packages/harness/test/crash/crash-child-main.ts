/**
 * `node <script> <folder> <append> <before|after>`: runs the rich session, or restores the one that is there and goes
 * on with it, and kills itself at that append of its own. One that ends by itself prints its `ChildRun`.
 */
import { join } from 'node:path'
import type { SessionId } from '@looprig/core'
import { sqliteStore } from '@looprig/store/sqlite'
import { faultyStore } from '../../src/testing.ts'
import { driveRichSession, richRig } from '../restore/rich-session.ts'
import type { ChildRun } from './crash-child.ts'
import { goOn } from './go-on.ts'
import { recordEffect, recordRequest } from './recorded-acts.ts'

const [folder = '', append = '', when = ''] = process.argv.slice(2)

const die = () => void process.kill(process.pid, 'SIGKILL')
/** The appends before which a call had its effect. */
const afterEffects = new Set<number>()
const store = faultyStore(sqliteStore({ path: join(folder, 'sessions.db') }), (number) =>
  number === Number(append) ? { kind: 'hooked', [when]: die } : undefined,
)
const rig = richRig({
  store,
  world: {
    effect: (executionId) => {
      afterEffects.add(store.appends.length + 1)
      recordEffect(folder, executionId)
    },
    pause: () => new Promise<void>((resolve) => setTimeout(resolve, 90)),
  },
  asked: (request) => recordRequest(folder, request),
})
const [left] = await store.ledger.list()
// proved: only a rig gave names in this store, and they are session ids
const session = left === undefined ? await rig.newSession() : await rig.restoreSession(left.session as SessionId)
await (left === undefined ? driveRichSession(session) : goOn(session))
await session.shutdown()
await store.close()
const run: ChildRun = { appends: store.appends.length, afterEffects: [...afterEffects] }
process.stdout.write(JSON.stringify(run))
