import type { Ledger } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/clock/deferred.ts'
import { SubscriptionLossError } from '../../src/index.ts'
import { faultAt, faultyStore } from '../../src/testing.ts'
import { openHub, seqs, take, upTo } from './live-hub.ts'

/** The methods of a ledger, to be laid over. */
function bound(ledger: Ledger): Ledger {
  return {
    append: (request) => ledger.append(request),
    read: (request) => ledger.read(request),
    find: (session) => ledger.find(session),
    list: () => ledger.list(),
    now: () => ledger.now(),
    watch: (request) => ledger.watch(request),
  }
}

describe('a subscription from the journal to live', () => {
  it('gives every seq once and in order while a writer goes at full speed', async () => {
    const { hub, append, emit } = await openHub()
    await append(500)
    const reader = hub.subscribe(0, undefined)
    const writer = (async () => {
      for (let count = 0; count < 950; count += 1) await append(10)
    })()

    const read: (number | null)[] = []
    while (read.length < 10_000) {
      read.push(...seqs(await take(reader, 5)))
      // half as fast as the writer
      await new Promise((resolve) => setImmediate(resolve))
    }
    await writer
    const live = reader.next()
    await new Promise((resolve) => setImmediate(resolve))
    emit()

    expect(read).toEqual(upTo(10_000))
    expect((await live).value).toMatchObject({ seq: null, event: { type: 'TokenDelta' } })
  })

  it('drops at the switch what the page had already, when it was durable and not yet delivered', async () => {
    const [durable, acked] = [createDeferred<void>(), createDeferred<void>()]
    const after = () => {
      durable.resolve()
      return acked.promise
    }
    const plan = faultAt(2, { kind: 'hooked', after })
    const { hub, append } = await openHub(faultyStore(memoryStore(), plan))
    await append(3)
    const reader = hub.subscribe(1, undefined)

    const late = append(2)
    await durable.promise
    const read = await take(reader, 4)
    const next = reader.next()
    await new Promise((resolve) => setImmediate(resolve))
    acked.resolve()
    await late
    await append(1)

    expect(seqs(read)).toEqual([2, 3, 4, 5])
    expect((await next).value?.seq).toBe(6)
  })

  it('gives nothing twice to two reads at one time', async () => {
    const { hub, append } = await openHub()
    await append(3)
    const reader = hub.subscribe(0, undefined)

    const reads = await Promise.all([reader.next(), reader.next(), reader.next()])

    expect(reads.map((read) => read.value?.seq)).toEqual([1, 2, 3])
  })

  it('wakes every one of several waiting reads', async () => {
    const { hub, append } = await openHub()
    const reader = hub.subscribe(undefined, undefined)
    const reads = [reader.next(), reader.next()]

    await append(2)

    expect((await Promise.all(reads)).map((read) => read.value?.seq)).toEqual([1, 2])
  })

  it('starts after `since`, or now', async () => {
    const { hub, append } = await openHub()
    await append(4)
    const later = hub.subscribe(3, undefined)
    const now = hub.subscribe(undefined, undefined)

    await append(1)

    expect(seqs(await take(later, 2))).toEqual([4, 5])
    expect(seqs(await take(now, 1))).toEqual([5])
  })

  it('refuses a `since` beyond the tip, and takes the tip', async () => {
    const { hub, append } = await openHub()
    await append(2)

    const ahead = () => hub.subscribe(3, undefined)

    expect(ahead).toThrow(expect.objectContaining({ name: 'SessionError', code: 'since_ahead' }))
    expect(() => hub.subscribe(2, undefined)).not.toThrow()
  })

  it.each([Number.NaN, -1, 0.5])('refuses %s as `since`', async (since) => {
    const { hub } = await openHub()

    expect(() => hub.subscribe(since, undefined)).toThrow(expect.objectContaining({ code: 'since_invalid' }))
  })

  it.each([
    [
      'the error of a store that cannot be read',
      () => Promise.reject(new Error('unreadable')),
      { message: 'unreadable' },
    ],
    ['that the journal is too short', async () => [], { code: 'journal_invalid', seq: 1 }],
  ])('tells %s, and is over', async (_, read, error) => {
    const store = memoryStore()
    const { hub, append } = await openHub({ ...store, ledger: { ...bound(store.ledger), read } })
    await append(2)
    const reader = hub.subscribe(0, undefined)

    await expect(reader.next()).rejects.toMatchObject(error)

    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })
})

describe('a live subscription that is too slow', () => {
  it('loses ephemeral events first', async () => {
    const { hub, append, emit } = await openHub()
    const reader = hub.subscribe(undefined, undefined)

    emit(200)
    await append(256)
    emit(1)
    hub.close()

    expect(seqs(await take(reader, 1_000))).toEqual(upTo(256))
  })

  it('ends with SubscriptionLossError rather than lose an enduring one, after what it holds', async () => {
    const { hub, append } = await openHub()
    const reader = hub.subscribe(undefined, undefined)

    await append(257)
    const held = await take(reader, 256)
    const lost = await reader.next().catch((error: unknown) => error)

    expect(seqs(held)).toEqual(upTo(256))
    expect(lost).toBeInstanceOf(SubscriptionLossError)
    expect(lost).toMatchObject({ code: 'subscription_loss', resumeFrom: 256 })
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('misses nothing when it subscribes again from resumeFrom', async () => {
    const { hub, append } = await openHub()
    const reader = hub.subscribe(undefined, { types: ['LoopIdle'] })
    await append(600)
    const held = await take(reader, 256)
    const lost = await reader.next().catch((error: SubscriptionLossError) => error)

    const again = hub.subscribe((lost as SubscriptionLossError).resumeFrom, { types: ['LoopIdle'] })
    await append(2)

    const read = [...held, ...(await take(again, 45))]
    expect(seqs(read)).toEqual(upTo(301).map((n) => n * 2))
  })

  it('does not slow or harm another one', async () => {
    const { hub, append } = await openHub()
    const slow = hub.subscribe(undefined, undefined)
    const quick = hub.subscribe(undefined, undefined)

    const read: (number | null)[] = []
    for (let count = 0; count < 300; count += 1) {
      await append(1)
      read.push(...seqs(await take(quick, 1)))
    }

    expect(read).toEqual(upTo(300))
    await take(slow, 256)
    await expect(slow.next()).rejects.toMatchObject({ code: 'subscription_loss' })
  })
})

describe('the end of a subscription', () => {
  it('drops the page that is read meanwhile', async () => {
    const { hub, append } = await openHub()
    await append(2)
    const reader = hub.subscribe(0, undefined)
    const reading = reader.next()

    reader.close()

    expect(await reading).toEqual({ done: true, value: undefined })
  })

  it('drops what is buffered on close, and may be closed again', async () => {
    const { hub, append } = await openHub()
    const reader = hub.subscribe(undefined, undefined)
    await append(2)

    reader.close()
    reader.close()

    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('wakes a waiting read on close', async () => {
    const { hub } = await openHub()
    const reader = hub.subscribe(undefined, undefined)
    const waiting = reader.next()

    reader.close()

    expect(await waiting).toEqual({ done: true, value: undefined })
  })

  it('gets nothing more after the loop was left', async () => {
    const { hub, append } = await openHub()
    const reader = hub.subscribe(undefined, undefined)
    await append(2)

    for await (const _ of reader) break
    await append(1)

    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('comes after what is buffered when the hub closes', async () => {
    const { hub, append } = await openHub()
    const reader = hub.subscribe(undefined, undefined)
    await append(2)

    hub.close()

    expect(seqs(await take(reader, 10))).toEqual([1, 2])
  })

  it('comes with the error of a hub that failed, for a read that waits too', async () => {
    const { hub, append } = await openHub()
    const behind = hub.subscribe(undefined, undefined)
    const waiting = hub.subscribe(undefined, { class: 'ephemeral' }).next()
    await append(1)

    hub.close(new Error('fault'))

    await expect(waiting).rejects.toThrow('fault')
    expect(seqs(await take(behind, 1))).toEqual([1])
    await expect(behind.next()).rejects.toThrow('fault')
  })

  it.each([undefined, new Error('fault')])(
    'comes after the journal for a reader in it, and ends with %s',
    async (end) => {
      const { hub, append } = await openHub()
      await append(600)
      const reader = hub.subscribe(0, undefined)
      const first = await take(reader, 1)

      hub.close(end)

      expect(seqs([...first, ...(await take(reader, 599))])).toEqual(upTo(600))
      const last = await reader.next().catch((error: unknown) => error)
      expect(last).toEqual(end ?? { done: true, value: undefined })
    },
  )

  it('is there at once for who subscribes to a closed hub, after the journal', async () => {
    const { hub, append } = await openHub()
    await append(2)
    hub.close()

    expect(await take(hub.subscribe(undefined, undefined), 1)).toEqual([])
    expect(seqs(await take(hub.subscribe(0, undefined), 10))).toEqual([1, 2])
  })
})
