import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'

import { StoreError } from '../../src/index.ts'
import { type TipSource, Watchers } from '../../src/watch/watchers.ts'

const source: TipSource = { begun: () => undefined, idle: () => undefined }

function watching(watchers: Watchers, after = 0, signal?: AbortSignal) {
  return watchers.tips({ session: 'a', after, signal }, source)[Symbol.asyncIterator]()
}

describe('Watchers', () => {
  it('leaves nothing behind of watches that have ended, on their signal or in its list', async () => {
    const watchers = new Watchers()
    const { signal } = new AbortController()
    for (let count = 0; count < 3; count += 1) {
      const tips = watching(watchers, 0, signal)
      const next = tips.next()
      watchers.grow('a', 1)
      await next
      await tips.return?.()
    }

    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(watchers.sessions).toEqual([])
  })

  it('forgets an aborted watch at once, also when its consumer never asks again', async () => {
    const watchers = new Watchers()
    const control = new AbortController()
    const next = watching(watchers, 0, control.signal).next()
    watchers.grow('a', 1)
    await next

    control.abort()

    expect(watchers.sessions).toEqual([])
  })

  it('registers nobody before the first tip is asked for', () => {
    const watchers = new Watchers()
    watching(watchers)

    expect(watchers.sessions).toEqual([])
  })

  it('answers several questions of one consumer in their order', async () => {
    const watchers = new Watchers()
    const tips = watching(watchers)
    const answers = [tips.next(), tips.next(), tips.next()]

    for (const tip of [3, 2, 7]) {
      watchers.grow('a', tip)
      await new Promise(setImmediate)
    }
    await tips.return?.()

    expect((await Promise.all(answers)).map(({ value }) => value)).toEqual([3, 7, undefined])
  })

  it('throws once, then it is at its end', async () => {
    const watchers = new Watchers()
    const tips = watching(watchers)
    const next = tips.next()
    watchers.fail(new StoreError('io', 'failed'))

    await expect(next).rejects.toMatchObject({ code: 'io' })
    expect(await tips.next()).toEqual({ value: undefined, done: true })
  })

  it('ends and does not throw when it was aborted before the failure', async () => {
    const watchers = new Watchers()
    const control = new AbortController()
    const next = watching(watchers, 0, control.signal).next()

    control.abort()
    watchers.fail(new StoreError('io', 'failed'))

    expect(await next).toEqual({ value: undefined, done: true })
  })
})
