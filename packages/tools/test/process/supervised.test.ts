import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseId, uuidV7 } from '@looprig/core'
import type { FileObservation, PreparedProcess, RunningProcess, ShellRunner } from '@looprig/tools'
import { directRunner } from '@looprig/tools/process'
import { describe, expect, it } from 'vitest'
import { becomes, markedSleep, processesWith } from './support/live-processes.ts'
import {
  environment,
  idOf,
  jsonOf,
  openSession,
  type ProcessSession,
  testRunner,
  textOfResult,
} from './support/process-session.ts'

/** As a loop does that found no file there. */
async function knowAbsent(seen: FileObservation): Promise<void> {
  seen.current = 'absent'
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function manifestOf(session: ProcessSession, id: string) {
  return JSON.parse(
    readFileSync(join(session.resources.directoryOf('looprig-processes'), `${id}.manifest.json`), 'utf8'),
  )
}

describe('a process of the background', () => {
  it('answers at once with an id, while it runs', async () => {
    const session = await openSession()

    const json = await session.json('Bash', { command: 'sleep 30', background: true })

    expect(json).toEqual({
      status: 'running',
      process_id: expect.stringMatching(/^[\w-]{22}$/),
      next_cursor: expect.any(Number),
      started_at: expect.stringMatching(time),
      backgrounded: true,
    })
  })

  it('has a record on disk before its id is known, which only this user can read', async () => {
    const session = await openSession()

    const id = await session.start('sleep 30', { timeout: 60 })
    const manifest = manifestOf(session, id)

    expect(manifest).toMatchObject({ version: 1, handle: id, state: 'running', command: 'sleep 30', tty: false })
    expect(manifest.deadlineAt - manifest.createdAt).toBe(60_000)
    expect(JSON.stringify(manifest)).not.toMatch(/"pid"/i)
  })

  it('has an empty input, so that a prompt does not hang', async () => {
    const session = await openSession()

    const id = await session.start('cat; read x; echo "read $?"')

    expect(await session.ended(id)).toMatchObject({ status: 'exited', exit_code: 0, output: 'read 1\n' })
  })

  it('goes on when the call that started it is aborted', async () => {
    const session = await openSession()
    const controller = new AbortController()

    const result = await session.bash('echo on; sleep 30', { background: true }, { signal: controller.signal })
    controller.abort()
    const id = idOf(jsonOf(result))
    await session.json('ProcessOutput', { process_id: id, wait: 'any', timeout_ms: 5_000 })

    expect(await session.json('ProcessOutput', { process_id: id })).toMatchObject({ status: 'running', output: 'on\n' })
  })

  it('is journalled as started in the background, then as completed, and then the model is told', async () => {
    const session = await openSession()

    const id = await session.start('exit 4')
    await session.services.until('notice')

    expect(session.services.log).toEqual(['backgrounded', 'completed', 'notice'])
    expect(session.services.events[1]).toMatchObject({
      kind: 'completed',
      loopId: session.loopId,
      processId: id,
      state: 'exited',
      reason: 'exited',
      exitCode: 4,
    })
    expect(session.services.notices[0]).toEqual({
      inputId: manifestOf(session, id).events.notice,
      loopId: session.loopId,
      text: `The background process ${id} (exit 4) has ended: exited with code 4. Its output can be read with ProcessOutput.`,
    })
  })

  it('is not announced to a model that waited for its end', async () => {
    const session = await openSession()
    const id = await session.start('sleep 0.1')

    await session.json('ProcessOutput', { process_id: id, wait: 'all', cursor: 0, timeout_ms: 5_000 })
    await becomes(() => manifestOf(session, id).notice === 'not_needed')

    expect(session.services.log).toEqual(['backgrounded', 'completed'])
  })

  it('makes what the loop had read unknown when it may write', async () => {
    const runner = directRunner({ environment, graceMs: 300 })
    const session = await openSession({ runner })
    const id = await session.start('sleep 0.1; echo x')
    await session.observations.withPath('/a', knowAbsent)

    await session.ended(id)

    expect(await session.observations.withPath('/a', async (seen) => seen.current)).toBe('unknown')
  })

  it('with the right to write holds the workspace until it ends', async () => {
    const session = await openSession({
      runner: directRunner({ environment, graceMs: 300 }),
      bash: { workspaceWaitMs: 50 },
    })
    const id = await session.start('sleep 30')

    const busy = await session.bash('true')
    await session.json('ProcessStop', { process_id: id, mode: 'kill' })

    expect(busy).toMatchObject({ isError: true, code: 'workspace_busy' })
    expect(textOfResult(busy)).toContain(id)
    expect(await session.bash('true')).toMatchObject({ isError: false })
  })

  it('ends at its deadline, with all that it started', async () => {
    const session = await openSession({ bash: { processes: { graceMs: 200 } } })
    const sleep = markedSleep()

    const id = await session.start(`trap "" TERM; echo on; sleep ${sleep} | cat`, { timeout: 1 })

    expect(await session.ended(id)).toMatchObject({ status: 'timed_out', reason: 'timed_out' })
    expect(processesWith(sleep)).toEqual([])
    expect(session.services.events.at(-1)).toMatchObject({ kind: 'completed', state: 'timed_out' })
  })

  it.each(['sleep 9 &', '(sleep 9 &) &', 'nohup sleep 9', 'a; setsid b', 'x | (disown)'])(
    'is refused when it would detach itself: %s',
    async (command) => {
      const session = await openSession()

      await expect(session.bash(command, { background: true })).rejects.toMatchObject({ code: 'invalid_arguments' })
      expect(session.services.events).toEqual([])
    },
  )

  it('may hold && and a word that only looks like it detaches', async () => {
    const session = await openSession()

    expect(await session.bash('true && echo setsid-like', { background: true })).toMatchObject({ isError: false })
  })
})

describe('a command that may go on in the background', () => {
  it('answers as it ended when it ends in time, without an id and without a notice', async () => {
    const session = await openSession()

    const json = await session.json('Bash', { command: 'echo out; exit 2', yield_time_ms: 10_000 })
    await session.services.until('completed')

    expect(json).toEqual({
      status: 'exited',
      exit_code: 2,
      reason: 'exited',
      output: 'out\n',
      started_at: expect.stringMatching(time),
      finished_at: expect.stringMatching(time),
      duration_ms: expect.any(Number),
    })
    expect(session.services.log).toEqual(['started', 'completed'])
  })

  it('answers with what it printed so far, and where to go on', async () => {
    const session = await openSession()

    const json = await session.json('Bash', { command: 'echo first; sleep 30', yield_time_ms: 300 })

    expect(json).toMatchObject({ status: 'running', output: 'first\n', next_cursor: 6, backgrounded: true })
  })

  it('goes on when the call is aborted while it waits', async () => {
    const session = await openSession()
    const controller = new AbortController()
    const calling = session.bash('echo on; sleep 30', { yield_time_ms: 20_000 }, { signal: controller.signal })
    await session.services.until('started')

    controller.abort()
    const id = idOf(jsonOf(await calling))

    expect((await session.json('ProcessOutput', { process_id: id })).status).toBe('running')
  })

  it('is told to a model that did not see its end', async () => {
    const session = await openSession()

    const id = idOf(await session.json('Bash', { command: 'sleep 0.3', yield_time_ms: 10 }))
    await session.services.until('notice')

    expect(session.services.notices[0]?.text).toContain(id)
  })

  it('is an error when it ran out of time meanwhile', async () => {
    const session = await openSession({ bash: { processes: { graceMs: 100 } } })

    const result = await session.bash('echo part; sleep 30', { yield_time_ms: 10_000, timeout: 1 })

    expect(result).toMatchObject({ isError: true, code: 'timed_out' })
    expect(jsonOf(result)).toMatchObject({ status: 'timed_out', output: 'part\n' })
  })

  it('keeps an id where there is more to read than one answer shows', async () => {
    const session = await openSession()

    const json = await session.json('Bash', { command: 'yes 1234567 | head -c 100000', yield_time_ms: 10_000 })

    expect(json).toMatchObject({ status: 'exited', next_cursor: 32_768, total_bytes: 100_000 })
    expect(await session.json('ProcessOutput', { process_id: idOf(json), cursor: 98_304 })).toMatchObject({
      next_cursor: 100_000,
    })
  })
})

describe('the arguments of a supervised command', () => {
  it.each([
    [{ tty: true }, 'tty: needs'],
    [{ timeout: 0 }, 'timeout: needs'],
    [{ background: true, yield_time_ms: -1 }, 'yield_time_ms'],
    [{ background: true, timeout: -1 }, 'timeout'],
    [{ background: true, max_output_bytes: 0 }, 'max_output_bytes'],
    [{ background: 'yes' }, 'background'],
    [{ command: ' \n\t ' }, 'command'],
    [{ command: 'a\0b' }, 'command'],
    [{ command: '\ufeffls' }, 'command'],
    [{ command: `echo ${'x'.repeat(70_000)}` }, 'command'],
    [{ sudo: true }, 'sudo'],
  ])('%j is refused by name', async (args, name) => {
    const session = await openSession()

    await expect(session.bash('true', args)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(name),
    })
  })
})

/** A runner that counts, over the real one. */
function countingRunner(change: (prepared: PreparedProcess) => PreparedProcess = (prepared) => prepared) {
  const log: string[] = []
  const real = testRunner()
  const runner: ShellRunner = {
    ...real,
    runCommand: (request) => real.runCommand(request),
    prepareProcess: async (request) => {
      log.push('prepare')
      const prepared = await real.prepareProcess(request)
      return change({
        access: prepared.access,
        start: async (signal) => {
          log.push('start')
          return prepared.start(signal)
        },
        close: async () => {
          log.push('close')
          await prepared.close()
        },
      })
    },
  }
  return { runner, log }
}

describe('the start of a process', () => {
  it('prepares, claims the workspace, writes it down, and only then starts', async () => {
    const { runner, log } = countingRunner()
    const session = await openSession({ runner })
    const { coordinator } = session
    const acquire = coordinator.acquireLifetime.bind(coordinator)
    coordinator.acquireLifetime = async (access, signal) => {
      log.push('claim')
      return acquire(access, signal)
    }

    await session.start('sleep 30')

    expect(log).toEqual(['prepare', 'claim', 'start'])
  })

  it('gives everything back once when it fails to start', async () => {
    const failing = (prepared: PreparedProcess): PreparedProcess => ({
      ...prepared,
      start: () => Promise.reject(new Error('SENTINEL')),
    })
    const { runner, log } = countingRunner(failing)
    const session = await openSession({ runner, bash: { processes: { maxRunningPerLoop: 1 } } })
    let released = 0
    session.coordinator.acquireLifetime = async () => ({
      release: () => {
        released += 1
      },
    })

    const results = [
      await session.bash('sleep 30', { background: true }),
      await session.bash('sleep 30', { background: true }),
    ]

    expect(results.map(({ code }) => code)).toEqual(['process_setup_failed', 'process_setup_failed'])
    expect(results.map(textOfResult)).toEqual(Array(2).fill('{"error":"process_setup_failed"}'))
    expect(released).toBe(2)
    expect(log).toEqual(['prepare', 'close', 'prepare', 'close'])
  })

  it('starts nothing when the workspace is not to be had', async () => {
    const { runner, log } = countingRunner()
    const session = await openSession({ runner })
    session.coordinator.acquireLifetime = () => Promise.reject(new Error('broken'))

    const result = await session.bash('sleep 30', { background: true })

    expect(result).toMatchObject({ isError: true, code: 'lifetime_enforcement_unavailable' })
    expect(log).toEqual(['prepare', 'close'])
  })

  it('is refused by a runner that lets nothing outlive its call', async () => {
    const { runCommand } = testRunner()
    const session = await openSession({ runner: { runCommand } })

    await expect(session.bash('sleep 30', { background: true })).rejects.toMatchObject({
      code: 'lifetime_enforcement_unavailable',
      message: '{"error":"lifetime_enforcement_unavailable"}',
    })
  })

  it('is refused in a session that is not active, and in one that is closed', async () => {
    const early = await openSession({ isActive: false })
    const late = await openSession()
    await late.resources.shutdown()

    expect((await early.bash('true', { background: true })).code).toBe('lifetime_enforcement_unavailable')
    expect((await late.bash('true', { background: true })).code).toBe('supervisor_shutting_down')
  })

  it('is refused past the limit of the loop, and again allowed when one has ended', async () => {
    const session = await openSession({ bash: { processes: { maxRunningPerLoop: 2 } } })
    const ids = [await session.start('sleep 30'), await session.start('sleep 30')]

    const refused = await session.bash('sleep 30', { background: true })
    await session.json('ProcessStop', { process_id: ids[0] ?? '', mode: 'kill' })
    const allowed = await session.bash('sleep 30', { background: true })

    expect(refused).toMatchObject({ isError: true, code: 'process_quota_exceeded' })
    expect(allowed.isError).toBe(false)
  })

  it('is refused past the limit of the session, by any loop', async () => {
    const one = await openSession({ bash: { processes: { maxRunningPerSession: 1 } } })
    const other = await openSession({
      resources: one.resources,
      sessionId: one.sessionId,
      loopId: parseId('LoopId', uuidV7()),
    })
    await one.start('sleep 30')

    expect((await other.bash('sleep 30', { background: true })).code).toBe('process_quota_exceeded')
  })
})

describe('a runner that breaks while a process runs', () => {
  function breaking(change: (running: RunningProcess) => RunningProcess): ShellRunner {
    const real = testRunner()
    return {
      ...real,
      runCommand: (request) => real.runCommand(request),
      prepareProcess: async (request) => {
        const prepared = await real.prepareProcess(request)
        return { ...prepared, start: async (signal) => change(await prepared.start(signal)) }
      },
    }
  }

  it('ends it as failed and kills what is left', async () => {
    const sleep = markedSleep()
    const runner = breaking((running) => ({
      ...running,
      output: (async function* () {
        for await (const chunk of running.output) {
          yield chunk
          throw new Error('SENTINEL')
        }
      })(),
    }))
    const session = await openSession({ runner })

    const id = await session.start(`echo out; sleep ${sleep}`)
    const shown = await session.ended(id)

    expect(shown).toMatchObject({ status: 'failed', reason: 'failed', output: 'out\n' })
    expect(JSON.stringify([shown, session.services.events])).not.toContain('SENTINEL')
    expect(processesWith(sleep)).toEqual([])
  })

  it('ends it as failed when its end is not known', async () => {
    const session = await openSession({
      runner: breaking((running) => ({
        ...running,
        output: running.output,
        end: running.end.then(() => Promise.reject(new Error('x'))),
      })),
    })

    const id = await session.start('true')

    expect(await session.ended(id)).toMatchObject({ status: 'failed' })
    expect(session.services.events.at(-1)).toMatchObject({ diagnostic: 'the runner lost the process' })
  })
})

describe('the shutdown of a session', () => {
  it('ends every process, by force after the grace, and keeps what they printed', async () => {
    const session = await openSession({ bash: { processes: { graceMs: 200 } } })
    const sleep = markedSleep()
    const polite = await session.start('echo polite; sleep 30')
    const stubborn = await session.start(`trap "" TERM; echo stubborn; sleep ${sleep}`)
    for (const id of [polite, stubborn]) await session.json('ProcessOutput', { process_id: id, wait: 'any' })

    await Promise.all([session.resources.shutdown(), session.resources.shutdown()])

    expect(processesWith(sleep)).toEqual([])
    expect(await session.json('ProcessOutput', { process_id: polite })).toMatchObject({
      status: 'terminated',
      reason: 'runner_shutdown',
      output: 'polite\n',
    })
    expect(manifestOf(session, stubborn)).toMatchObject({
      state: 'killed',
      reason: 'runner_shutdown',
      notice: 'pending',
    })
  })
})

describe('what is kept of processes that have ended', () => {
  it('is as many as are allowed; the one that ended first goes first, with its files', async () => {
    const session = await openSession({ bash: { processes: { maxRetained: 2 } } })
    const ids: string[] = []
    for (let index = 0; index < 4; index += 1) {
      const id = await session.start(`echo ${index}`)
      await session.ended(id)
      ids.push(id)
    }
    const running = await session.start('sleep 30')
    const directory = session.resources.directoryOf('looprig-processes')
    const kept = () => new Set(readdirSync(directory).map((name) => name.split('.')[0]))

    expect(await becomes(() => kept().size === 3)).toBe(true)
    expect([...kept()].sort()).toEqual([...ids.slice(2), running].sort())
    expect((await session.json('ProcessOutput', { process_id: ids[0] ?? '' })).error).toBe('not_found')
  })
})
