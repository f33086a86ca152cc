import { describe, expect, it } from 'vitest'
import { StopRequests } from '../src/stop-requests.ts'

function arrange() {
  const seen = { exits: 0, interrupts: 0 }
  let now = 0
  const stop = new StopRequests(
    () => {
      seen.exits += 1
    },
    () => now,
  )
  const press = (how: 'interrupt' | 'terminate' = 'interrupt') => {
    now += 1_000
    stop[how]()
  }
  const attach = (outcome: Promise<boolean>) =>
    stop.attach({
      interrupt: () => {
        seen.interrupts += 1
        return outcome
      },
    })
  return { stop, seen, press, attach }
}

describe('StopRequests', () => {
  it('ends the program at once while there is no session', () => {
    const { seen, press } = arrange()

    press()
    press('terminate')

    expect(seen.exits).toBe(2)
  })

  it('interrupts the turn first and ends the program at the second request', () => {
    const { seen, press, attach, stop } = arrange()
    attach(new Promise(() => undefined))

    press()
    press()

    expect(seen).toEqual({ exits: 1, interrupts: 1 })
    expect(stop.signal.aborted).toBe(false)
  })

  it('interrupts the next turn after one has ended', async () => {
    const { seen, press, attach } = arrange()
    const ended = Promise.resolve(true)
    attach(ended)

    press()
    await ended
    await Promise.resolve()
    press()

    expect(seen).toEqual({ exits: 0, interrupts: 2 })
  })

  it('leaves when there was no turn to interrupt', async () => {
    const { seen, press, attach, stop } = arrange()
    attach(Promise.resolve(false))

    press()
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve))

    expect(stop.reason).toBe('interrupted')
    expect(seen.exits).toBe(0)
  })

  it('leaves in order on SIGTERM, at once on a second one', () => {
    const { seen, press, attach, stop } = arrange()
    attach(Promise.resolve(true))

    press('terminate')
    expect([stop.reason, seen.exits]).toEqual(['interrupted', 0])
    press('terminate')

    expect(seen).toEqual({ exits: 1, interrupts: 0 })
  })

  it('takes two signals at the same moment as one key', () => {
    const { seen, press, attach, stop } = arrange()
    attach(new Promise(() => undefined))

    press()
    stop.interrupt()

    expect(seen).toEqual({ exits: 0, interrupts: 1 })
  })

  it('keeps the first reason to leave', () => {
    const { stop } = arrange()

    stop.leave('output_closed')
    stop.leave('interrupted')

    expect(stop.reason).toBe('output_closed')
  })
})
