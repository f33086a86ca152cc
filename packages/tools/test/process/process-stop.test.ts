import { readdirSync } from 'node:fs'
import type { ShellRunner } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { markedSleep, processesWith } from './support/live-processes.ts'
import { openSession, type ProcessSession, testRunner } from './support/process-session.ts'

/** A process that is past its `trap`. */
async function ready(session: ProcessSession, command: string): Promise<string> {
  const id = await session.start(command)
  await session.json('ProcessOutput', { process_id: id, wait: 'any', timeout_ms: 5_000 })
  return id
}

describe('ProcessStop', () => {
  it('terminate asks, and answers with how it ended', async () => {
    const session = await openSession()
    const id = await ready(session, 'echo on; exec sleep 30')

    const json = await session.json('ProcessStop', { process_id: id, mode: 'terminate' })

    expect(json).toEqual({
      process_id: id,
      status: 'terminated',
      reason: 'terminated',
      started_at: expect.any(String),
      finished_at: expect.any(String),
    })
  })

  it('terminate lets a process exit by itself', async () => {
    const session = await openSession()
    const id = await ready(session, 'trap "echo bye; exit 3" TERM; echo on; while :; do sleep 0.05; done')

    expect(await session.json('ProcessStop', { process_id: id, mode: 'terminate' })).toMatchObject({
      status: 'exited',
      exit_code: 3,
    })
  })

  const cleaning = 'trap "sleep 0.7; touch cleaned; exit" TERM; echo on; while :; do sleep 0.05; done'

  it.each([
    ['the children of a shell that is gone', `sh -c '${cleaning}' | cat`, false],
    ['a command in a terminal', cleaning, true],
  ])('terminate gives %s all of the grace', async (_name, command, tty) => {
    const session = await openSession({ bash: { tty: true } })
    const id = await session.start(command, { tty })
    await session.json('ProcessOutput', { process_id: id, wait: 'any', timeout_ms: 10_000 })

    const json = await session.json('ProcessStop', { process_id: id, mode: 'terminate', grace_ms: 15_000 })

    expect(['terminated', 'exited']).toContain(json.status)
    expect(readdirSync(session.root)).toEqual(['cleaned'])
  })

  it('terminate kills after the grace and no sooner, with all that was started', async () => {
    const session = await openSession()
    const sleep = markedSleep()
    const id = await ready(session, `trap "" TERM; echo on; sleep ${sleep} | cat`)
    const start = performance.now()

    const json = await session.json('ProcessStop', { process_id: id, mode: 'terminate', grace_ms: 400 })

    expect(json).toMatchObject({ status: 'killed', reason: 'killed' })
    expect(performance.now() - start).toBeGreaterThan(390)
    expect(processesWith(sleep)).toEqual([])
  })

  it('takes a grace of 0 as none', async () => {
    const session = await openSession()
    const id = await ready(session, 'trap "" TERM; echo on; sleep 30')
    const start = performance.now()

    const json = await session.json('ProcessStop', { process_id: id, mode: 'terminate', grace_ms: 0 })

    expect(json).toMatchObject({ status: 'killed' })
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  it('interrupt never escalates', async () => {
    const session = await openSession()
    const id = await ready(session, 'trap "" INT; echo on; sleep 30')

    const json = await session.json('ProcessStop', { process_id: id, mode: 'interrupt', grace_ms: 100 })

    expect(json).toMatchObject({ process_id: id, status: 'running' })
    expect(json).not.toHaveProperty('error')
  })

  it('interrupt ends what heeds it', async () => {
    const session = await openSession()
    const id = await ready(session, 'echo on; exec sleep 30')

    expect(await session.json('ProcessStop', { process_id: id, mode: 'interrupt' })).toMatchObject({
      status: 'interrupted',
    })
  })

  it('kill ends at once', async () => {
    const session = await openSession()
    const id = await ready(session, 'trap "" TERM INT; echo on; sleep 30')

    expect(await session.json('ProcessStop', { process_id: id, mode: 'kill' })).toMatchObject({ status: 'killed' })
  })

  it('leaves what has ended as it is, and sends nothing', async () => {
    const session = await openSession()
    const id = await ready(session, 'echo on; exec sleep 30')
    const first = await session.json('ProcessStop', { process_id: id, mode: 'kill' })
    const events = session.services.events.length

    const again = await session.json('ProcessStop', { process_id: id, mode: 'terminate' })

    expect(again).toEqual(first)
    expect(session.services.events.length).toBe(events)
  })

  it('is journalled before the signal, and makes no notice of an end that its answer shows', async () => {
    const session = await openSession()
    const id = await ready(session, 'echo on; exec sleep 30')

    await session.json('ProcessStop', { process_id: id, mode: 'kill' })
    await session.services.until('completed')

    expect(session.services.log).toEqual(['backgrounded', 'stop_requested', 'completed'])
    expect(session.services.events[1]).toMatchObject({ state: 'running', reason: 'killed', processId: id })
  })

  it('of two that come at once ends the process once', async () => {
    const session = await openSession()
    const id = await ready(session, 'trap "" TERM; echo on; sleep 30')

    const [one, other] = await Promise.all([
      session.json('ProcessStop', { process_id: id, mode: 'terminate', grace_ms: 100 }),
      session.json('ProcessStop', { process_id: id, mode: 'kill' }),
    ])
    await session.services.until('completed')

    expect(one).toEqual(other)
    expect(session.services.events.filter(({ kind }) => kind === 'completed')).toHaveLength(1)
  })

  it('says so when the process cannot be signalled', async () => {
    const real = testRunner()
    const runner: ShellRunner = {
      ...real,
      prepareProcess: async (request) => {
        const prepared = await real.prepareProcess(request)
        return {
          ...prepared,
          start: async (signal) => {
            const running = await prepared.start(signal)
            let isBroken = true
            return {
              ...running,
              signal: (kind) => {
                if (!isBroken) return running.signal(kind)
                isBroken = false
                throw new Error('EPERM pid 4711')
              },
            }
          },
        }
      },
    }
    const session = await openSession({ runner })
    const id = await session.start('sleep 30')

    const result = await session.call('ProcessStop', { process_id: id, mode: 'terminate' })

    expect(result).toMatchObject({ isError: true, code: 'teardown_failed' })
    expect(JSON.stringify(result)).not.toContain('4711')
  })

  it('goes on when its call is aborted', async () => {
    const session = await openSession()
    const id = await ready(session, 'trap "" TERM; echo on; sleep 30')
    const args = { process_id: id, mode: 'terminate', grace_ms: 300 }

    const json = await session.json('ProcessStop', args, { signal: AbortSignal.timeout(50) })

    expect(json).toMatchObject({ status: 'running' })
    expect(await session.ended(id)).toMatchObject({ status: 'killed' })
  })

  it.each([
    [{ mode: 'stop' }, 'mode'],
    [{}, 'mode'],
    [{ mode: 'kill', grace_ms: -1 }, 'grace_ms'],
    [{ mode: 'kill', process_id: '1' }, 'process_id'],
  ])('refuses %j by name', async (args, name) => {
    const session = await openSession()

    await expect(session.call('ProcessStop', { process_id: 'AAAAAAAAAAAAAAAAAAAAAA', ...args })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(name),
    })
  })
})
