/** What is restored is what was: an idle session, its inspection, and the session that is restored from its journal. */
import { expect } from 'vitest'
import { readRecords } from '../journal/stores.ts'
import { ofLoop, readBodies, transcriptOf } from '../restore/journal-invariants.ts'
import type { Scene } from './scene.ts'

/** Checks a session that has come to rest, and shuts it down. */
export async function expectRestorable(scene: Scene): Promise<void> {
  const { session } = scene
  const live = stateOf(session)
  const gates = session.gates()
  await scene.end()
  const before = await readRecords(scene.store, scene.id)
  const inspection = await scene.inspect()
  const [summary] = await scene.rig.sessions()

  expect(gates, 'no gate is open').toEqual([])
  if (scene.isQuiet) expect(await scene.rig.due(), 'no work is left').toEqual([])
  expect(inspection.owner).toBe('none')
  if (summary !== undefined) {
    expect([summary.status, summary.title], 'lists and inspections say the same').toEqual([
      inspection.status,
      inspection.title,
    ])
  }
  expect(inspection.loops.flatMap((loop) => [...loop.queued, ...(loop.turn === undefined ? [] : [loop.turn])])).toEqual(
    [],
  )
  expect(
    inspection.loops.map(({ loopId, history }) => [loopId, history]),
    'an inspection tells the history',
  ).toEqual(live.histories)
  const records = readBodies(before)
  for (const [loopId, history] of live.histories) {
    expect(history, 'the events tell the history').toEqual(transcriptOf(ofLoop(records, loopId)))
  }

  const restored = await scene.rig.restoreSession(scene.id)
  expect(stateOf(restored), 'a restored session is as it was').toEqual(live)
  const said = await scene.calls.said()
  for (const { act, text, inputId, accepted, result } of said) {
    const isJournalled = before.some(({ id }) => id === `in/${inputId}`)
    // an input that was refused may be taken later
    const isRefused = said.every((other) => other.inputId !== inputId || other.accepted === false)
    if (accepted === true) expect(isJournalled, `${act}: accepted`).toBe(true)
    if (isRefused) expect(isJournalled, `${act}: refused`).toBe(false)
    if (result === undefined || result.status === 'waiting' || accepted !== true) continue
    expect(await restored.submit(text, { inputId }).result(), `the result of ${act}`).toEqual(result)
  }
  for (const inputId of await scene.calls.mailed()) {
    expect(
      before.map(({ id }) => id),
      'what a mailbox took',
    ).toContain(`in/${inputId}`)
  }
  await scene.settled('shutdown', restored.shutdown())
  expect(await readRecords(scene.store, scene.id), 'restoring adds nothing').toEqual(before)
}

function stateOf(session: Scene['session']) {
  const { loopId, mode, model, loops } = session
  return {
    loopId,
    mode,
    model,
    loops,
    histories: loops.map((loop) => [loop.loopId, session.history(loop.loopId)] as const),
  }
}
