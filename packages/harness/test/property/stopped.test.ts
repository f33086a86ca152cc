import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRecords } from '../journal/stores.ts'
import { eventsOf, nameOf, readBodies, resolvedInputs } from '../restore/journal-invariants.ts'
import { Scene } from './scene.ts'
import { quietScript, stoppingScript } from './scripts.ts'

describe('a session that is stopped after any script, while other processes go on', () => {
  it('has resolved each input that anybody was told is accepted, and takes no more', { timeout: 120_000 }, async () => {
    await fc.assert(fc.asyncProperty(quietScript, stoppingScript, fc.boolean(), expectStopped), { numRuns: 150 })
  })
})

async function expectStopped(before: readonly string[], beside: readonly string[], guarded: boolean): Promise<void> {
  const scene = new Scene({ guarded })
  await scene.begin()
  for (const act of before) await scene.perform(act)
  await scene.stop(beside)
  await scene.end()

  const stored = await readRecords(scene.store, scene.id)
  const records = readBodies(stored)
  expect(eventsOf(records, 'SessionStopped')).toHaveLength(1)
  const stoppedAt = records.findIndex((record) => nameOf(record) === 'SessionStopped')
  // nothing but the ends of what others handed over in that moment, or too late
  expect(['InputCancelled', 'input']).toEqual(
    expect.arrayContaining([...new Set(records.slice(stoppedAt + 1).map((record) => nameOf(record)))]),
  )
  const resolved = resolvedInputs(records)
  expect(new Set(resolved).size, 'each once').toBe(resolved.length)
  const said = await scene.calls.said()
  for (const { act, inputId, accepted, result } of said) {
    expect(result?.status, act).not.toBe('waiting')
    if (accepted === true) expect(resolved, `${act} is resolved`).toContain(inputId)
  }
  for (const inputId of await scene.calls.mailed())
    expect(resolved, 'what a mailbox took is resolved').toContain(inputId)
  expect(eventsOf(records, 'GateResolved')).toHaveLength(
    eventsOf(records, 'PermissionRequested').length + eventsOf(records, 'UserInputRequested').length,
  )
  const turnEnds = ['TurnDone', 'TurnFailed', 'TurnInterrupted'] as const
  expect(turnEnds.flatMap((type) => eventsOf(records, type))).toHaveLength(eventsOf(records, 'TurnStarted').length)
  for (const count of scene.effects.values()) expect(count).toBe(1)

  const { status, loops } = await scene.inspect()
  expect(status).toBe('stopped')
  expect(loops.flatMap(({ queued, turn }) => [...queued, ...(turn === undefined ? [] : [turn])])).toEqual([])
  expect(await scene.rig.due(), 'nobody has to look at it').toEqual([])
  await expect(scene.rig.restoreSession(scene.id)).rejects.toMatchObject({ code: 'session_stopped' })
  await expect(scene.rig.mailbox(scene.id).submit('do')).rejects.toMatchObject({ code: 'session_stopped' })
  expect(await readRecords(scene.store, scene.id)).toEqual(stored)
}
