import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { AppendOutcome, Lease, Store } from '../../src/index.ts'
import { memoryStore } from '../../src/memory.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { newRecord } from '../../src/testing.ts'
import { Model, type Sent, type Step } from '../support/model-store.ts'
import { tempFolder } from '../support/temp-folder.ts'

const session = fc.constantFrom('a', 'b')
const entry = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom('x', 'x', 'x', 'y'))
  .map(([id, body]) => `${id}=${body}`)
const group = fc.uniqueArray(entry, { minLength: 1, maxLength: 4, selector: (text) => text.split('=', 1).join() })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('append' as const),
      session,
      ids: group,
      stale: fc.constantFrom(0, 0, 0, 0, -1, 1, 'outsider' as const, 'outsider' as const),
      wakeAt: fc.constantFrom(undefined, undefined, null, 500, 1_500, 9_000),
      unseen: fc.constantFrom(undefined, 0, 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('resend' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('take_over' as const), session }) },
)

function told(outcome: AppendOutcome): string {
  if (outcome.outcome === 'ok') return `ok ${outcome.records.map((record) => record.seq)}`
  return outcome.outcome === 'slot_taken' ? `slot_taken ${outcome.ids}` : outcome.outcome
}

/** Walks store and model together and compares each answer, then everything that was kept. */
async function compare(open: (clock: () => number) => Store, steps: readonly Step[]): Promise<void> {
  let now = 1_000
  const store = open(() => now)
  const model = new Model()
  const leases = new Map<string, Lease>()
  const sent: Sent[] = []
  try {
    for (const each of steps) {
      now += 10
      if (each.type === 'take_over') {
        await leases.get(each.session)?.release()
        const lease = await store.leases.acquire(each.session)
        leases.set(each.session, lease)
        expect(lease.epoch).toBe(model.takeOver(each.session))
        continue
      }
      const request = each.type === 'resend' ? sent[each.pick % Math.max(1, sent.length)] : requestOf(each, model)
      if (request === undefined) continue
      sent.push(request)
      const { ids, ...rest } = request
      const records = ids.map((text) => newRecord(text.split('=', 1).join(), text))
      expect(told(await store.ledger.append({ ...rest, records }))).toBe(model.append(request, now))
      expect((await store.ledger.find(request.session))?.wakeAt).toBe(model.wakes.get(request.session))
    }
    for (const [name] of model.epochs) {
      const kept = await store.ledger.read({ session: name, after: 0, limit: 1_000 })
      expect(kept.map((record) => record.body)).toEqual(model.records.get(name) ?? [])
      expect(kept.map((record) => record.seq)).toEqual(kept.map((_, index) => index + 1))
    }
  } finally {
    await store.close()
  }
}

function requestOf(step: Extract<Step, { readonly type: 'append' }>, model: Model): Sent {
  const { session, ids, wakeAt, stale, unseen } = step
  const epoch = stale === 'outsider' ? undefined : Math.max(0, (model.epochs.get(session) ?? 0) + stale)
  const seen = unseen === undefined ? undefined : Math.max(0, model.tip(session) - unseen)
  return { session, epoch, ids, wakeAt, seen }
}

describe('a store against a model', () => {
  it('answers as the model does in memory', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), (steps) =>
        compare((clock) => memoryStore({ clock }), steps),
      ),
      { numRuns: 200 },
    )
  })

  it('answers as the model does in a file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        using folder = tempFolder()
        await compare((clock) => sqliteStore({ path: folder.file('sessions.db'), clock }), steps)
      }),
      { numRuns: 25 },
    )
  })
})
