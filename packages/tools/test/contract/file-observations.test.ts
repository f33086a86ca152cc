import { createFileObservations } from '@looprig/tools'
import { describe, expect, it } from 'vitest'

const known = { hash: 'a'.repeat(64) }

/** Something that a test lets go on when it wants to. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

describe('createFileObservations', () => {
  it('knows nothing of a path at first, and what was set last afterwards', async () => {
    const observations = createFileObservations()

    const first = await observations.withPath('/a', async (observation) => {
      const before = observation.current
      observation.current = known
      return before
    })

    expect(first).toBe('unknown')
    expect(await observations.withPath('/a', async ({ current }) => current)).toBe(known)
    expect(await observations.withPath('/b', async ({ current }) => current)).toBe('unknown')
  })

  it('lets one at a time at a path, in the order in which they came', async () => {
    const observations = createFileObservations()
    const told: string[] = []
    const first = gate()

    const running = ['one', 'two', 'three'].map((name) =>
      observations.withPath('/a', async () => {
        told.push(`${name} begins`)
        if (name === 'one') await first.opened
        told.push(`${name} ends`)
      }),
    )
    await observations.withPath('/b', async () => told.push('another path'))
    first.open()
    await Promise.all(running)

    expect(told).toEqual([
      'one begins',
      'another path',
      'one ends',
      'two begins',
      'two ends',
      'three begins',
      'three ends',
    ])
  })

  it('gives the path to the next when a section throws, with what it had learned', async () => {
    const observations = createFileObservations()

    const failing = observations.withPath('/a', async (observation) => {
      observation.current = 'absent'
      throw new Error('no disk')
    })
    const next = observations.withPath('/a', async ({ current }) => current)

    await expect(failing).rejects.toThrow('no disk')
    expect(await next).toBe('absent')
  })

  it('gives the path to the next when a section throws before it waits', async () => {
    const observations = createFileObservations()

    const failing = observations.withPath('/a', () => {
      throw new Error('at once')
    })

    await expect(failing).rejects.toThrow('at once')
    expect(await observations.withPath('/a', async () => 'goes on')).toBe('goes on')
  })

  it('forgets every path, also what a section that runs meanwhile still learns', async () => {
    const observations = createFileObservations()
    const slow = gate()
    await observations.withPath('/a', async (observation) => {
      observation.current = known
    })
    const reading = observations.withPath('/b', async (observation) => {
      await slow.opened
      observation.current = known
    })
    await Promise.resolve()

    observations.forgetAll()
    slow.open()
    await reading

    for (const path of ['/a', '/b']) {
      expect(await observations.withPath(path, async ({ current }) => current)).toBe('unknown')
    }
  })

  it('shows who waited for a path that was forgotten meanwhile that nothing is known', async () => {
    const observations = createFileObservations()
    const slow = gate()
    const reading = observations.withPath('/a', async (observation) => {
      observation.current = known
      await slow.opened
    })
    const waiting = observations.withPath('/a', async ({ current }) => current)
    await Promise.resolve()

    observations.forgetAll()
    slow.open()
    await reading

    expect(await waiting).toBe('unknown')
  })

  it('drops what is set after the section has ended', async () => {
    const observations = createFileObservations()
    const kept = await observations.withPath('/a', async (observation) => observation)

    kept.current = known

    expect(await observations.withPath('/a', async ({ current }) => current)).toBe('unknown')
  })

  it('never shares between two of them', async () => {
    const [one, other] = [createFileObservations(), createFileObservations()]

    await one.withPath('/a', async (observation) => {
      observation.current = known
    })

    expect(await other.withPath('/a', async ({ current }) => current)).toBe('unknown')
  })

  it('counts up rightly under a thousand concurrent sections on ten paths', async () => {
    const observations = createFileObservations()
    const counts = new Map<string, number>()

    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        observations.withPath(`/${index % 10}`, async (observation) => {
          const count = counts.get(`/${index % 10}`) ?? 0
          await Promise.resolve()
          counts.set(`/${index % 10}`, count + 1)
          observation.current = { hash: String(count + 1) }
          if (index % 7 === 0) throw new Error('one of many')
        }),
      ).map((section) => section.catch(() => undefined)),
    )

    expect([...counts.values()]).toEqual(Array.from({ length: 10 }, () => 100))
    expect(await observations.withPath('/3', async ({ current }) => current)).toEqual({ hash: '100' })
  })
})
