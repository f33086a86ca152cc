/** One session whose processes are killed, and what a restore makes of what they left. */
import { cpSync, rmSync } from 'node:fs'
import type { SessionId } from '@looprig/core'
import { expect } from 'vitest'
import { inspectSession, listSessions, type SessionInspection } from '../../src/index.ts'
import { openSqlite, readRecords, tempFolder } from '../journal/stores.ts'
import { ofLoop, type ReadRecord, readBodies, transcriptOf } from '../restore/journal-invariants.ts'
import { richRig } from '../restore/rich-session.ts'
import { type Kill, runCrashChild } from './crash-child.ts'
import { goOn } from './go-on.ts'
import type { KillPlan, KillPoint } from './kill-point.ts'
import { readEffects, readRequests, recordEffect, recordRequest } from './recorded-acts.ts'

/** What the last kill left, and what a restore made of it. */
export interface Crash {
  readonly point: KillPoint
  /** How the last process ended. */
  readonly ended: string | number
  /** What a list and a reader say of the session before it is restored. */
  readonly status: string | undefined
  readonly inspection: SessionInspection | undefined
  /** Whether workers are told to take it up, before it is restored and when it has gone on. */
  readonly due: { readonly before: boolean; readonly after: boolean }
  readonly before: readonly ReadRecord[]
  readonly after: readonly ReadRecord[]
  /** How often each call had its effect, over all processes. */
  readonly effects: ReadonlyMap<string, number>
  /** What models were shown, over all processes. */
  readonly requests: ReadonlySet<string>
  /** How the turn of one more input ended, when all questions had their answers. */
  readonly last: string | undefined
  /** Why the session could not go on. */
  readonly failure: unknown
}

/** Kills a new session's process, then, each time from what that left, the one that restores it. */
export async function* crashAt(script: string, first: Kill, plan: KillPlan): AsyncGenerator<Crash, void, undefined> {
  const left = tempFolder()
  const { ended } = await runCrashChild(script, left, first)
  yield await crashAndGoOn([first], ended, copyOf(left))
  for (const second of plan.second(first)) {
    const folder = copyOf(left)
    const { ended: endedAgain } = await runCrashChild(script, folder, second)
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
  const rig = richRig({
    store,
    world: { effect: (executionId) => recordEffect(folder, executionId), pause: async () => undefined },
    asked: (request) => recordRequest(folder, request),
  })
  const isDue = async () => (await rig.due()).includes(id)
  const before = await bodies()
  const due = { before: await isDue(), after: false }
  let inspection: SessionInspection | undefined
  let last: string | undefined
  let failure: unknown
  try {
    if (before.length > 0) {
      inspection = await inspectSession(store, id)
      const session = await rig.restoreSession(id)
      await goOn(session)
      last = (await session.submit('and now?').result()).status
      const records = await bodies()
      for (const { loopId } of session.loops) {
        expect(session.history(loopId)).toEqual(transcriptOf(ofLoop(records, loopId)))
      }
      await session.shutdown()
      due.after = await isDue()
    }
  } catch (error) {
    failure = error
  }
  const after = await bodies()
  await store.close()
  const told = { effects: readEffects(folder), requests: readRequests(folder) }
  rmSync(folder, { recursive: true, force: true })
  return { point, ended, status: summary?.status, inspection, due, before, after, ...told, last, failure }
}
