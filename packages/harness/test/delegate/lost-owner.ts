/** A session whose owner is killed after one of its appends: what the store holds then. */
import type { SessionId } from '@looprig/core'
import type { AppendRequest, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { expect } from 'vitest'

/** Writes the first groups into an empty store, as their owner did before it was killed. */
export async function storeWith(groups: readonly AppendRequest[], session: SessionId): Promise<Store> {
  const store = memoryStore()
  const lease = await store.leases.acquire(session)
  for (const { records, head } of groups) {
    const answer = await store.ledger.append({ session, epoch: lease.epoch, records, head })
    expect(answer.outcome).toBe('ok')
  }
  await lease.release()
  return store
}

/** The groups up to and with the first that holds a record like this. */
export function until(groups: readonly AppendRequest[], ...parts: readonly string[]): readonly AppendRequest[] {
  const index = groups.findIndex(({ records }) =>
    records.some(({ id, kind, body }) => parts.every((part) => `${kind} ${id} ${body}`.includes(part))),
  )
  expect(index).toBeGreaterThanOrEqual(0)
  return groups.slice(0, index + 1)
}
