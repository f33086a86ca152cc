/** What a killed owner left, and what a restore in this process makes of it. */
import type { SessionId } from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import type { Store } from '@looprig/store'
import { onTestFinished } from 'vitest'
import { recordSession } from '../../src/testing.ts'
import { openSqlite, readRecords, tempFolder } from '../journal/stores.ts'
import { type ReadRecord, readBodies } from '../restore/journal-invariants.ts'
import { durableRig, type RigPlan } from './durable-rig.ts'
import { type OwnerChild, startOwner } from './owner-child.ts'
import type { OwnerPlan } from './owner-plan.ts'

/** A session in a file, with its owner in another process. */
export interface OwnedSession {
  readonly folder: string
  readonly id: SessionId
  readonly owner: OwnerChild
  readonly store: Store
  /** What is durable by now. */
  records(): Promise<readonly ReadRecord[]>
  /** Resolves when so many records with such an id are durable. */
  untilDurable(id: RegExp, count?: number): Promise<void>
  /** Restores it in this process. */
  restore(plan?: RigPlan): ReturnType<typeof restoreHere>
}

/** Starts an owner that makes a session and is given an input. */
export async function ownedSession(script: string, plan: OwnerPlan): Promise<OwnedSession> {
  const folder = tempFolder()
  const owner = startOwner(script, folder, plan)
  const id = await owner.newSession()
  owner.say({ do: 'submit', text: 'go' })
  const store = openSqlite(folder)
  const records = async () => readBodies(await readRecords(store, id))
  return {
    ...{ folder, id, owner, store, records },
    untilDurable: async (wanted, count = 1) => {
      for await (const _ of store.ledger.watch({ session: id, after: 0 })) {
        if ((await records()).filter((record) => wanted.test(record.id)).length >= count) return
      }
    },
    restore: (restoring = {}) => restoreHere(store, folder, id, restoring),
  }
}

/** The same, once its owner has ended: it killed itself where its plan says. */
export async function crashedSession(script: string, plan: OwnerPlan) {
  const owned = await ownedSession(script, plan)
  const ended = await owned.owner.exited()
  return { ...owned, ended, before: await owned.records() }
}

async function restoreHere(store: Store, folder: string, id: SessionId, plan: RigPlan) {
  const requests: InferenceRequest[] = []
  const rig = durableRig(store, { folder, requested: (request) => requests.push(request) }, plan)
  const session = await rig.restoreSession(id)
  onTestFinished(() => session.shutdown().catch(() => undefined))
  return { rig, session, requests, recording: recordSession(session, { since: 0 }) }
}
