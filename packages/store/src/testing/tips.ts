/** What a watch says, asked with a limit of time. */
import assert from 'node:assert/strict'

import type { WatchRequest } from '../contract/ledger.ts'
import type { Store } from '../contract/store.ts'

/** A hint may be this late. */
const latestMs = 2_000

/** One watch of one session. */
export interface Tips {
  /** The next tip; `undefined` at the end. Fails when none comes in time. */
  next(): Promise<number | undefined>
  /** Leaves, as the end of a loop does. */
  leave(): Promise<void>
}

/** Begins to watch a session that others or this case let grow. */
export function tipsOf(store: Store, request: WatchRequest): Tips {
  const tips = store.ledger.watch(request)[Symbol.asyncIterator]()
  return {
    next() {
      const next = inTime(tips.next()).then((result) => result.value)
      // A case that fails meanwhile asks for it no more; its failure is the one to report.
      next.catch(() => undefined)
      return next
    },
    async leave() {
      await inTime(Promise.resolve(tips.return?.()))
    },
  }
}

/** Asks a watch for tips until one is `tip`, and gives all of them. */
export async function tipsUntil(tips: Tips, tip: number): Promise<readonly number[]> {
  const told: number[] = []
  while (told.at(-1) !== tip) {
    const next = await tips.next()
    assert.ok(next !== undefined && next > (told.at(-1) ?? 0), `${next} does not follow ${told.at(-1)}`)
    told.push(next)
  }
  return told
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: 'the watch is late' })), latestMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
