import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseId, uuidV7 } from '@looprig/core'
import { type CommandRequest, type FileObservation, type ShellRunner, seal, ToolError } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { becomes } from './support/live-processes.ts'
import { environment, openSession, tempFolder, testRunner, textOfResult } from './support/process-session.ts'

/** As a loop does that found no file there. */
async function knowAbsent(seen: FileObservation): Promise<void> {
  seen.current = 'absent'
}

/** A runner that notes what it is asked for and runs nothing. */
function notingRunner(takesGrants?: boolean) {
  const requests: CommandRequest[] = []
  const runner: ShellRunner = {
    ...(takesGrants === undefined ? {} : { takesGrants }),
    runCommand: async (request) => {
      requests.push(request)
      return { ended: 'exited', exitCode: 0, leftovers: 0, isGone: true }
    },
  }
  return { runner, requests }
}

describe('Bash', () => {
  it('gives output and error output in one order, and the exit code', async () => {
    const session = await openSession()

    const result = await session.bash('echo one; echo two >&2; echo three')

    expect(textOfResult(result)).toBe('one\ntwo\nthree\n[exit code: 0]')
    expect(result).toMatchObject({ isError: false, details: { exitCode: 0, omittedBytes: 0 } })
  })

  it('lets a command open its output by name', async () => {
    const session = await openSession()

    const result = await session.bash('echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr')

    expect(textOfResult(result)).toBe('a\nb\nc\nc\n[exit code: 0]')
  })

  it('leaves nothing behind where it makes its pipes', async () => {
    const session = await openSession()
    const before = new Set(readdirSync('/tmp')) // a host that was killed may have left one
    const pipes = () => readdirSync('/tmp').filter((name) => name.startsWith('looprig-pipe-') && !before.has(name))

    await session.bash('true')
    const id = await session.start('sleep 30')

    expect(await becomes(() => pipes().length === 0)).toBe(true) // other tests make some at the same time
    expect(await session.json('ProcessOutput', { process_id: id })).toMatchObject({ status: 'running' })
  })

  it('ends output without a line end before it tells the exit code', async () => {
    const session = await openSession()

    expect(textOfResult(await session.bash('printf x'))).toBe('x\n[exit code: 0]')
    expect(textOfResult(await session.bash('true'))).toBe('[exit code: 0]')
  })

  it('takes an exit code that is not 0 as a normal result', async () => {
    const session = await openSession()

    const result = await session.bash('echo no; exit 3')

    expect(result).toMatchObject({ isError: false, details: { exitCode: 3 } })
    expect(textOfResult(result)).toBe('no\n[exit code: 3]')
  })

  it('tells which signal ended a command', async () => {
    const session = await openSession()

    expect(textOfResult(await session.bash('kill -SEGV $$'))).toBe('[ended by signal SIGSEGV]')
  })

  it('keeps the first and last 16 KiB of 1 MB with the exact count of the rest', async () => {
    const session = await openSession()

    const result = await session.bash('i=0; while [ $i -lt 100000 ]; do i=$((i+1)); echo "$((i+100000)) 12"; done')
    const text = textOfResult(result)

    expect(result.details).toMatchObject({ totalBytes: 1_000_000, omittedBytes: 967_232 })
    expect(text).toContain('\n[output truncated: omitted 967232 of 1000000 bytes]\n')
    expect(text.startsWith('100001 12\n')).toBe(true)
    expect(text.endsWith('200000 12\n[exit code: 0]')).toBe(true)
  })

  it('shows whoever watches its latest line, now and then, and bounded', async () => {
    const session = await openSession()
    const seen: string[] = []
    const command =
      "printf 'one\\n'; sleep 0.6; printf '\\033[1mtwo\\033[0m\\nthree\\r\\n'; sleep 0.6; yes | tr -d '\\n' | head -c 9000"

    const result = await session.bash(command, {}, { progress: (text) => seen.push(text) })

    expect(result.isError).toBe(false)
    expect(seen).toContain('three')
    expect(seen.every((text) => text.length <= 200)).toBe(true)
    expect(seen.length).toBeLessThan(5)
  })

  it('says of binary output what it is and does not show it', async () => {
    const session = await openSession()

    const text = textOfResult(await session.bash('head -c 5000 /dev/zero'))

    expect(text).toBe('[binary output: 5000 bytes, not shown]\n[exit code: 0]')
  })

  it('runs a command that begins with a dash as a command', async () => {
    const session = await openSession()

    const result = await session.bash('-c "echo injected"')

    expect(textOfResult(result)).not.toMatch(/^injected/)
    expect(result.details).toMatchObject({ exitCode: 127 })
  })

  it('gives a command the given environment and nothing of the host', async () => {
    process.env.LOOPRIG_TEST_SECRET = 'SENTINEL'
    const session = await openSession()

    const names = textOfResult(await session.bash('env')).match(/^\w+(?==)/gm)

    expect(names?.filter((name) => !['PWD', 'OLDPWD', '_', 'SHLVL'].includes(name)).sort()).toEqual(
      Object.keys(environment).sort(),
    )
    delete process.env.LOOPRIG_TEST_SECRET
  })

  it('cleans what a program writes for a terminal', async () => {
    const session = await openSession()

    const result = await session.bash("printf '\\033[31mred\\033[0m \\033]0;t\\007\\377x'")

    expect(textOfResult(result)).toBe('red \ufffdx\n[exit code: 0]')
  })

  it('asks for the exact command and nothing else when nothing is declared', async () => {
    const session = await openSession()
    const context = {
      executionId: parseId('ToolExecutionId', uuidV7()),
      toolUseId: 'c',
      signal: new AbortController().signal,
    }

    const prepared = await session.tools.Bash?.prepareCall(context, JSON.stringify({ command: ' \n ls  -l\t' }))

    expect(prepared?.request).toMatchObject({
      command: 'ls  -l',
      workingDirectory: session.root,
      requirements: [
        {
          kind: 'command.execute',
          scope: '',
          match: 'ls  -l',
          description: 'execute ls  -l',
          grantClass: 'command.start.v1',
          grantTarget: 'ls  -l',
        },
      ],
    })
    expect(prepared?.request.requirements).toHaveLength(1)
  })

  it('runs what was prepared, whatever the arguments say when it runs', async () => {
    const session = await openSession()
    const { Bash } = session.tools
    const context = {
      executionId: parseId('ToolExecutionId', uuidV7()),
      toolUseId: 'c',
      signal: new AbortController().signal,
    }
    const prepared = await Bash?.prepareCall(context, '{"command":"echo approved"}')
    if (prepared === undefined) throw new Error('not prepared')

    const sealed = seal({ executionId: context.executionId, ...prepared })
    const result = await Bash?.invoke({ ...context, prepared: sealed }, '{"command":"echo other"}')

    expect(result && textOfResult(result)).toBe('approved\n[exit code: 0]')
  })

  it('gives grants only to a runner that takes them', async () => {
    const [taking, plain] = [notingRunner(true), notingRunner()]
    const [withGrants, without] = [
      await openSession({ runner: taking.runner }),
      await openSession({ runner: plain.runner }),
    ]

    await withGrants.bash('true', {}, { grants: ['token'] })
    await without.bash('true', {}, { grants: ['token'] })

    expect(taking.requests[0]?.grants).toEqual(['token'])
    expect(plain.requests[0]?.grants).toEqual([])
  })

  it('is at most the longest time in the foreground, and 30 seconds unless told', async () => {
    const { runner, requests } = notingRunner()
    const session = await openSession({ runner, bash: { maxTimeoutSeconds: 60 } })

    await session.bash('true', { timeout: 5 })
    await session.bash('true', { timeout: 500 })
    await session.bash('true')

    expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([5_000, 60_000, 30_000])
  })
})

describe('the working directory of Bash', () => {
  it('is the root, or a folder named relative to it or absolute inside it', async () => {
    const session = await openSession()
    await mkdir(join(session.root, 'a/b'), { recursive: true })

    expect(textOfResult(await session.bash('pwd'))).toContain(`${session.root}\n`)
    expect(textOfResult(await session.bash('pwd', { workdir: 'a/b' }))).toContain(`${session.root}/a/b\n`)
    expect(textOfResult(await session.bash('pwd', { workdir: join(session.root, 'a') }))).toContain(
      `${session.root}/a\n`,
    )
  })

  it.each([
    ['..', 'outside_workspace'],
    ['/etc', 'not_found'],
    ['link', 'outside_workspace'],
    ['missing', 'not_found'],
    ['file', 'not_a_folder'],
  ])('%s is refused before anything runs: %s', async (workdir, code) => {
    const session = await openSession()
    await symlink('/etc', join(session.root, 'link'))
    await writeFile(join(session.root, 'file'), '')

    await expect(session.bash('true', { workdir })).rejects.toMatchObject({ code })
  })

  it('is refused when it leads elsewhere than when it was approved', async () => {
    const session = await openSession()
    const outside = await tempFolder()
    await mkdir(join(session.root, 'dir'))
    const { Bash } = session.tools
    const context = {
      executionId: parseId('ToolExecutionId', uuidV7()),
      toolUseId: 'c',
      signal: new AbortController().signal,
    }
    const prepared = await Bash?.prepareCall(context, '{"command":"touch ran","workdir":"dir"}')
    if (prepared === undefined) throw new Error('not prepared')

    await rename(join(session.root, 'dir'), join(session.root, 'moved'))
    await symlink(outside, join(session.root, 'dir'))
    const sealed = seal({ executionId: context.executionId, ...prepared })
    const result = await Bash?.invoke({ ...context, prepared: sealed }, '{}')

    expect(result).toMatchObject({ isError: true, code: 'resolution_changed' })
    expect(result && textOfResult(result)).not.toContain(outside)
  })

  it('is refused by the direct runner when it is swapped at the last moment', async () => {
    const root = await tempFolder()
    await symlink('/tmp', join(root, 'link'))

    const running = testRunner().runCommand({
      command: 'true',
      directory: join(root, 'link'),
      executionId: parseId('ToolExecutionId', uuidV7()),
      grants: [],
      signal: new AbortController().signal,
      timeoutMs: 5_000,
      onOutput: () => {},
    })

    await expect(running).rejects.toMatchObject({ code: 'spawn_failed' })
  })
})

describe('Bash and the workspace', () => {
  it('waits for whoever writes, and gives up after a bounded time', async () => {
    const session = await openSession({ bash: { workspaceWaitMs: 50 } })
    const permit = await session.coordinator.acquire(
      { kind: 'path', path: join(session.root, 'x') },
      new AbortController().signal,
    )

    const result = await session.bash('touch ran')
    permit.release()

    expect(result).toMatchObject({ isError: true, code: 'workspace_busy' })
    expect(textOfResult(await session.bash('ls'))).toBe('[exit code: 0]')
  })

  it('does not run and forgets nothing when it is interrupted while it waits', async () => {
    const session = await openSession()
    await session.observations.withPath('/a', knowAbsent)
    const permit = await session.coordinator.acquire({ kind: 'whole' }, new AbortController().signal)

    const result = await session.bash('touch ran', {}, { signal: AbortSignal.timeout(30) })
    permit.release()

    expect(result).toMatchObject({ isError: true, code: 'interrupted' })
    expect(await session.observations.withPath('/a', async (seen) => seen.current)).toBe('absent')
  })

  it('forgets what the loop had read, also when the command fails', async () => {
    const session = await openSession()
    await session.observations.withPath('/a', knowAbsent)

    await session.bash('false')

    expect(await session.observations.withPath('/a', async (seen) => seen.current)).toBe('unknown')
  })

  it('holds the workspace while it runs', async () => {
    const session = await openSession({ bash: { workspaceWaitMs: 20 } })
    const running = session.bash('touch on; while [ ! -e go ]; do sleep 0.01; done', { timeout: 20 })
    expect(await becomes(() => existsSync(join(session.root, 'on')))).toBe(true)

    const beside = await session.bash('true')
    await writeFile(join(session.root, 'go'), '')

    expect(beside).toMatchObject({ isError: true, code: 'workspace_busy' })
    expect((await running).isError).toBe(false)
  })
})

describe('a runner that breaks', () => {
  const signal = new AbortController().signal

  it('is an error without a word of its own', async () => {
    const runner: ShellRunner = { runCommand: () => Promise.reject(new Error('SENTINEL /host/path pid 4711')) }
    const session = await openSession({ runner })

    const result = await session.bash('true', {}, { signal })

    expect(result).toMatchObject({ isError: true, code: 'runner_failed' })
    expect(JSON.stringify(result)).not.toMatch(/SENTINEL|4711|host\/path/)
  })

  it.each([
    ['answers nonsense', async () => ({ ended: 'SENTINEL' })],
    [
      'throws at once',
      () => {
        throw new ToolError('SENTINEL', 'SENTINEL')
      },
    ],
    ['rejects as a tool would', () => Promise.reject(new ToolError('SENTINEL', 'SENTINEL'))],
  ])('that %s is told in no word of its own', async (_name, runCommand) => {
    const session = await openSession({ runner: { runCommand } as never }) // what a runner without types may do

    const result = await session.bash('true')

    expect(result).toMatchObject({ isError: true, code: 'runner_failed' })
    expect(JSON.stringify(result)).not.toContain('SENTINEL')
  })

  it('gives back the workspace', async () => {
    let isBroken = true
    const real = testRunner()
    const runner: ShellRunner = {
      runCommand: (request) => (isBroken ? Promise.reject(new Error('broken')) : real.runCommand(request)),
    }
    const session = await openSession({ runner })

    await session.bash('true')
    isBroken = false

    expect(textOfResult(await session.bash('echo again'))).toBe('again\n[exit code: 0]')
  })

  it('that starts nothing says so', async () => {
    const runner = testRunner()
    const session = await openSession({
      runner: { ...runner, runCommand: (request) => runner.runCommand({ ...request, directory: '/nonexistent' }) },
    })

    expect(await session.bash('true')).toMatchObject({ isError: true, code: 'spawn_failed' })
  })
})
