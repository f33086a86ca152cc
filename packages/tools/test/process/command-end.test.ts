import { directRunner } from '@looprig/tools/process'
import { describe, expect, it } from 'vitest'
import { becomes, markedSleep, processesWith } from './support/live-processes.ts'
import { environment, openSession, testRunner, textOfResult } from './support/process-session.ts'

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const start = performance.now()
  const value = await work
  return { value, ms: performance.now() - start }
}

describe('the end of a command', () => {
  it('comes at once with a child in the background that holds the pipe, and ends the child', async () => {
    const session = await openSession()
    const sleep = markedSleep()

    const { value, ms } = await timed(session.bash(`sleep ${sleep} & echo done`))

    expect(ms).toBeLessThan(2_000)
    expect(textOfResult(value)).toBe(
      'done\n[what the command left running was ended with it (1); use background to keep a process]\n[exit code: 0]',
    )
    expect(value).toMatchObject({ isError: false, details: { exitCode: 0, leftovers: 1, isGone: true } })
    expect(processesWith(sleep)).toEqual([])
  })

  it('lets what a command left behind end by itself where that takes a moment', async () => {
    const session = await openSession()

    const result = await session.bash('(sleep 0.03; echo late) & echo early')

    expect(textOfResult(result)).toContain('early\nlate\n')
  })

  it.each([
    ['a grandchild', (sleep: string) => `sh -c 'sleep ${sleep}; echo x'; echo y`],
    ['a pipeline', (sleep: string) => `sleep ${sleep} | cat | cat`],
    ['children in the background', (sleep: string) => `sleep ${sleep} & sleep ${sleep} & wait`],
  ])('after its time takes %s with it', async (_name, command) => {
    const session = await openSession()
    const sleep = markedSleep()

    const { value, ms } = await timed(session.bash(command(sleep), { timeout: 1 }))

    expect(ms).toBeLessThan(2_900)
    expect(value).toMatchObject({ isError: true, code: 'timed_out' })
    expect(processesWith(sleep)).toEqual([])
  })

  it('after its time is marked as such and keeps what was printed', async () => {
    const session = await openSession()

    const result = await session.bash('echo partial; sleep 300', { timeout: 1 })

    expect(result).toMatchObject({ isError: true, code: 'timed_out', details: { ended: 'timed_out' } })
    expect(textOfResult(result)).toBe('partial\n[timed out after 1 s; the command was ended]')
  })

  it('kills what ignores SIGTERM after a short grace', async () => {
    const session = await openSession()
    const sleep = markedSleep()

    const { value, ms } = await timed(
      session.bash(`trap "" TERM; echo on; while :; do sleep ${sleep} || :; done`, { timeout: 1 }),
    )

    expect(ms).toBeLessThan(3_000)
    expect(value).toMatchObject({ code: 'timed_out', details: { isGone: true } })
    expect(processesWith(sleep)).toEqual([])
  })

  it('gives children that clean up the grace, also when their shell is gone at once', async () => {
    const session = await openSession({ runner: directRunner({ environment, graceMs: 5_000 }) })
    const child = 'sh -c \'trap "sleep 0.7; touch cleaned; exit" TERM; while :; do sleep 0.05; done\' | cat'

    const result = await session.bash(child, { timeout: 1 })

    expect(result).toMatchObject({ code: 'timed_out', details: { isGone: true } })
    expect(textOfResult(await session.bash('ls'))).toContain('cleaned')
  })

  it('kills a child that ignores SIGTERM and outlives its shell', async () => {
    const session = await openSession()
    const sleep = markedSleep()

    const { value, ms } = await timed(session.bash(`(trap "" TERM; sleep ${sleep}; sleep ${sleep}) & echo done`))

    expect(ms).toBeLessThan(4_000)
    expect(value).toMatchObject({ isError: false, details: { isGone: true } })
    expect(processesWith(sleep)).toEqual([])
  })

  it.each(['cat', 'read x; echo "status $?"', 'python3 -', 'sh'])(
    'comes at once for %s: input is empty',
    async (command) => {
      const session = await openSession()

      const { value, ms } = await timed(session.bash(command, { timeout: 20 }))

      expect(ms).toBeLessThan(5_000)
      expect(value).toMatchObject({ isError: false })
    },
  )

  it('comes at its time for a program that never stops printing, with bounded output', async () => {
    const session = await openSession()

    const { value, ms } = await timed(session.bash('yes', { timeout: 2 }))

    expect(ms).toBeLessThan(3_500)
    expect(value).toMatchObject({ isError: true, code: 'timed_out' })
    expect(textOfResult(value).length).toBeLessThan(34_000)
    expect(Number(value.details?.totalBytes)).toBeGreaterThan(1_000_000)
  })

  it.each([
    ['sh', (sleep: string) => `set -m; sleep ${sleep} & echo done`],
    ['bash', (sleep: string) => `bash -c 'set -m; sleep ${sleep} & disown; echo done'`],
  ])(
    'takes the jobs of a shell with job control with it, which have groups of their own (%s)',
    async (_name, command) => {
      const session = await openSession()
      const sleep = markedSleep()

      const { value, ms } = await timed(session.bash(command(sleep)))

      expect(ms).toBeLessThan(2_000)
      expect(textOfResult(value)).toContain('done\n')
      expect(processesWith(sleep)).toEqual([])
    },
  )

  it('takes a stopped process with it', async () => {
    const session = await openSession()
    const sleep = markedSleep()

    const { value, ms } = await timed(session.bash(`sleep ${sleep} & kill -STOP $!; wait`, { timeout: 1 }))

    expect(ms).toBeLessThan(3_000)
    expect(value).toMatchObject({ code: 'timed_out', details: { isGone: true } })
    expect(processesWith(sleep)).toEqual([])
  })

  it('is waited for when a command closes its output and goes on', async () => {
    const session = await openSession()

    const result = await session.bash('echo shown; exec >&- 2>&-; sleep 0.2; touch late')

    expect(textOfResult(result)).toBe('shown\n[exit code: 0]')
    expect(textOfResult(await session.bash('ls'))).toContain('late')
  })

  it('comes when the call is aborted, with all that the command started', async () => {
    const session = await openSession()
    const sleep = markedSleep()
    const controller = new AbortController()
    const running = session.bash(`echo on; sleep ${sleep} | cat`, {}, { signal: controller.signal })
    expect(await becomes(() => processesWith(`sleep\0${sleep}`).length > 0)).toBe(true)

    controller.abort()
    const { value, ms } = await timed(running)

    expect(ms).toBeLessThan(2_000)
    expect(value).toMatchObject({ isError: true, code: 'interrupted' })
    expect(textOfResult(value)).toContain('on\n')
    expect(processesWith(sleep)).toEqual([])
  })

  it('starts nothing for a call that is aborted already', async () => {
    const session = await openSession()

    const result = await session.bash('touch ran', {}, { signal: AbortSignal.abort() })

    expect(result).toMatchObject({ isError: true, code: 'interrupted' })
    expect(textOfResult(await session.bash('ls'))).toBe('[exit code: 0]')
  })

  it('comes within 2 seconds where a process that left the group holds the pipe; that process is not caught', async () => {
    const session = await openSession()
    const sleep = markedSleep()

    const { value, ms } = await timed(session.bash(`setsid sleep ${sleep} & echo done`))
    const escaped = processesWith(sleep)
    for (const pid of escaped) process.kill(pid, 'SIGKILL')

    expect(ms).toBeLessThan(2_000)
    expect(textOfResult(value)).toContain('done\n')
    expect(escaped).toHaveLength(1) // only a PID namespace would catch it
  })

  it('comes within 2 seconds where such a process floods the pipe', async () => {
    const session = await openSession()

    const { value, ms } = await timed(session.bash('setsid yes flood$$ & echo done; sleep 0.05'))

    expect(ms).toBeLessThan(2_500)
    expect(value.isError).toBe(false)
    expect(await becomes(() => processesWith('flood').length === 0)).toBe(true) // its pipe is closed
  })

  it('never signals the group again once it was seen empty', async () => {
    const runner = testRunner()
    const sent: unknown[] = []
    const kill = process.kill
    process.kill = (pid, signal) => {
      if (signal !== 0) sent.push(signal)
      return kill.call(process, pid, signal)
    }
    const prepared = await runner.prepareProcess({
      command: 'true',
      directory: '/',
      executionId: '0190a000-0000-7000-8000-000000000000' as never, // the runner does not look at it
      grants: [],
      hasInput: false,
    })
    const running = await prepared.start(new AbortController().signal)
    await running.end

    running.signal('kill')
    running.signal('terminate')
    process.kill = kill

    expect(sent).toEqual([])
  })
})
