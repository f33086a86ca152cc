/** Plays a script and checks what came of it. */
import { expect } from 'vitest'
import { readRecords } from '../journal/stores.ts'
import { eventsOf, readBodies } from '../restore/journal-invariants.ts'
import { expectLawful } from './journal-laws.ts'
import { expectTold } from './live-laws.ts'
import { expectRestorable } from './restore-laws.ts'
import { Scene } from './scene.ts'
import type { SceneOptions } from './scene-rig.ts'

/** Plays a script to its end, lets everything come to rest and checks every law. */
export async function play(script: readonly string[], options: SceneOptions = {}): Promise<void> {
  const scene = new Scene(options)
  await scene.begin()
  for (const act of script) await scene.perform(act)
  await scene.finish()
  await expectRestorable(scene)
  const records = await readRecords(scene.store, scene.id)
  expectLawful(records, scene.effects)
  const failures = eventsOf(readBodies(records), 'TurnFailed').map(({ error }) => error.code)
  expect(failures, 'the model never fails in an unexpected way').not.toContain('internal')
  await expectTold(scene, records)
  expect([...scene.hooksOpen], 'hooks are told of every end').toEqual([])
}
