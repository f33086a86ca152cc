/** Plays one turn on SQLite and prints how many appends it took: `append-counter.mjs KIND STEPS`. */
import { openRig, playTurns } from '../subjects/looprig.mjs'
import { openStore } from '../subjects/looprig-sqlite.mjs'
import { works } from '../works.mjs'

const [kind, steps] = process.argv.slice(2)
const store = openStore()
const { ledger } = store
const append = ledger.append.bind(ledger)
let appends = 0
ledger.append = (request) => {
  appends += 1
  return append(request)
}
const turn = { ...works[0].turn, steps: Number(steps), hasEffect: kind !== 'pure' }
const { rig, script, seen } = openRig(turn, store, kind === 'approved by a person' ? 'ask' : 'allow')
const session = await rig.newSession()
appends = 0
await playTurns(session, script, seen)
process.stdout.write(String(appends))
await session.shutdown()
await store.close()
