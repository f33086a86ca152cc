/** One session whose processes are killed, and what a restore makes of what they left. */
import { cpSync, rmSync } from 'node:fs'
import type { SessionId } from '@looprig/core'
import type { Store } from '@looprig/store'
import { expect } from 'vitest'
import { inspectSession, listSessions, type SessionInspection } from '../../src/index.ts'
import { openSqlite, readRecords, tempFolder } from '../journal/stores.ts'
import { type ReadRecord, readBodies, transcriptOf } from '../restore/journal-invariants.ts'
import { richRig } from '../restore/rich-session.ts'
import { type Kill, runCrashChild } from './crash-child.ts'
import { goOn } from './go-on.ts'
import { type KillPoint, secondKills } from './kill-point.ts'
import { readEffects, recordEffect } from './recorded-effects.ts'

/** What the last kill left, and what a restore made of it. */
export interface Crash {
  readonly point: KillPoint
  /** How the last process ended. */
  readonly ended: string | number
  /** What a list and a reader say of the session before it is restored. */
  readonly status: string | undefined
  readonly inspection: SessionInspection | undefined
  readonly before: readonly ReadRecord[]
  readonly after: readonly ReadRecord[]
  /** How often each call had its effect, over all processes. */
  readonly effects: ReadonlyMap<string, number>
  /** Why the session could not go on. */
  readonly failure: unknown
}

/** Kills a new session's process, then, each time from what that left, the one that restores it. */
export async function* crashAt(script: string, first: Kill, all: boolean): AsyncGenerator<Crash, void, undefined> {
  const left = tempFolder()
  const ended = await runCrashChild(script, left, first)
  yield await crashAndGoOn([first], ended, copyOf(left))
  for (const second of secondKills(first, all)) {
    const folder = copyOf(left)
    const endedAgain = await runCrashChild(script, folder, second)
    if (endedAgain === 0) break
    yield await crashAndGoOn([first, second], endedAgain, folder)
    if (endedAgain !== 'SIGKILL') break
  }
  rmSync(left, { recursive: true, force: true })
}

/** A database file, its log and the effects, as a killed process left them. */
function copyOf(folder: string): string {
  const copy = tempFolder()
  cpSync(folder, copy, { recursive: true })
  return copy
}

async function crashAndGoOn(point: KillPoint, ended: string | number, folder: string): Promise<Crash> {
  const store = openSqlite(folder)
  const [summary] = await listSessions(store)
  const [entry] = await store.ledger.list()
  const id = (entry?.session ?? '') as SessionId
  const bodies = async () => readBodies(await readRecords(store, id))
  const before = await bodies()
  let inspection: SessionInspection | undefined
  let failure: unknown
  try {
    if (before.length > 0) {
      inspection = await inspectSession(store, id)
      await restoreAndGoOn(store, id, folder)
    }
  } catch (error) {
    failure = error
  }
  const after = await bodies()
  await store.close()
  const effects = readEffects(folder)
  rmSync(folder, { recursive: true, force: true })
  return { point, ended, status: summary?.status, inspection, before, after, effects, failure }
}

async function restoreAndGoOn(store: Store, id: SessionId, folder: string): Promise<void> {
  const world = {
    effect: (executionId: string) => recordEffect(folder, executionId),
    pause: async () => undefined,
  }
  const session = await richRig({ store, world }).restoreSession(id)
  await goOn(session)
  expect(session.history()).toEqual(transcriptOf(readBodies(await readRecords(store, id))))
  await session.shutdown()
}
