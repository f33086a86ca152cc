/** What it costs to take a session over, beside what it costs to read and parse its rows. */
import { works } from '../works.mjs'

const records = 10_000
const stepsPerTurn = 40

/**
 * @param {string} subject
 * @param {number} scale
 */
export async function probe(subject, scale) {
  const { openStore } = await import(`../subjects/${subject}.mjs`)
  const { openRig, playTurns } = await import('../subjects/looprig.mjs')
  const store = openStore()
  const { rig, script, seen } = openRig({ ...works[0].turn, steps: stepsPerTurn }, store)
  const session = await rig.newSession()
  while ((await store.ledger.find(session.id)).tip < records / scale) await playTurns(session, script, seen)
  await session.shutdown()
  const read = await elapsedMs(() => readRows(store, session.id))
  const restored = await elapsedMs(() => rig.restoreSession(session.id))
  return [read, restored, restored / read]
}

/** All rows at once, as a restore has them. */
async function readRows({ ledger }, session) {
  const bodies = []
  for (let after = 0; ; ) {
    const page = await ledger.read({ session, after, limit: 500 })
    for (const { body } of page) bodies.push(JSON.parse(body))
    const last = page.at(-1)
    if (last === undefined) return bodies
    after = last.seq
  }
}

/** What a person waits for: who restores a session restores one, so what is compiled beside it does not count. */
async function elapsedMs(work) {
  globalThis.gc()
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
