import { parseId, uuidV7 } from '@looprig/core'
import { buildTools, DefinitionBuildError, type ShellRunner } from '@looprig/tools'
import {
  type BashOptions,
  bashDefinition,
  commandEnvironment,
  directRunner,
  processInputDefinition,
  processOutputDefinition,
  processStopDefinition,
} from '@looprig/tools/process'
import { describe, expect, it, vi } from 'vitest'
import { openSession, TestResources, tempFolder, testRunner } from './support/process-session.ts'

const ids = () => ({ sessionId: parseId('SessionId', uuidV7()), loopId: parseId('LoopId', uuidV7()) })

async function offered() {
  const [root, folder] = [await tempFolder(), await tempFolder()]
  return { ...ids(), workspace: { root }, processes: { resources: new TestResources(folder) } }
}

describe('bashDefinition', () => {
  it('calls its resolver once per build, with the id of the loop, and never for a call', async () => {
    const resolver = vi.fn(() => testRunner())
    const definition = bashDefinition({ resolver })
    const available = await offered()
    const session = await openSession({ runner: testRunner() })

    await buildTools(definition, available)
    await session.bash('true')

    expect(resolver.mock.calls).toEqual([[available.loopId]])
  })

  it('gives two builds that run at once instances and runners of their own', async () => {
    const resolver = vi.fn(() => testRunner())
    const definition = bashDefinition({ resolver })
    const available = await offered()

    const [[one], [other]] = await Promise.all([buildTools(definition, available), buildTools(definition, available)])

    expect(one).not.toBe(other)
    expect(resolver).toHaveBeenCalledTimes(2)
  })

  it.each(['workspace', 'processes'] as const)('asks for %s before it asks for a runner', async (name) => {
    const resolver = vi.fn(() => testRunner())
    const { [name]: _, ...available } = await offered()

    const building = buildTools(bashDefinition({ resolver }), available)

    await expect(building).rejects.toMatchObject({ name: 'DefinitionBuildError' })
    expect(resolver).not.toHaveBeenCalled()
  })

  it.each([
    ['no resolver', undefined, 'resolver'],
    ['a resolver that fails', () => Promise.reject(new Error('no sandbox')), 'runner'],
    ['a resolver that gives nothing', () => undefined, 'runner'],
    ['a resolver that gives no runner', () => ({}), 'runner'],
  ])('does not build with %s', async (_name, resolver, dependency) => {
    const deps = { resolver } as never // what a caller without types may pass

    const building = buildTools(bashDefinition(deps), await offered())

    await expect(building).rejects.toMatchObject({ code: 'missing_dependency', definition: 'Bash', dependency })
  })

  it.each([
    [{ maxTimeoutSeconds: 0 }, 'maxTimeoutSeconds'],
    [{ maxBackgroundSeconds: 100_000 }, 'maxBackgroundSeconds'],
    [{ workspaceWaitMs: Number.NaN }, 'workspaceWaitMs'],
    [{ processes: { maxRunningPerLoop: -1 } }, 'processes.maxRunningPerLoop'],
    [{ processes: { maxRunningPerLoop: 9, maxRunningPerSession: 8 } }, 'processes.maxRunningPerLoop'],
    [{ processes: { maxSpoolBytes: 2, maxSpoolBytesPerSession: 1 } }, 'processes.maxSpoolBytes'],
    [{ processes: { graceMs: 1e9 } }, 'processes.graceMs'],
  ])('refuses the option %j', (options: BashOptions, dependency) => {
    const define = () => bashDefinition({ resolver: testRunner }, options)

    expect(define).toThrow(expect.objectContaining({ code: 'invalid_definition', dependency }))
  })

  it('is not changed by whoever changes its options afterwards', async () => {
    const options = { maxTimeoutSeconds: 60 }
    const seen: number[] = []
    const runner: ShellRunner = {
      runCommand: async ({ timeoutMs }) => {
        seen.push(timeoutMs)
        return { ended: 'exited', exitCode: 0, leftovers: 0, isGone: true }
      },
    }
    const session = await openSession({ runner, bash: options })

    options.maxTimeoutSeconds = 1
    await session.bash('true', { timeout: 99 })

    expect(seen).toEqual([60_000])
  })

  it('refuses terminals from a runner that has none', async () => {
    const { checkTerminal: _, ...runner } = testRunner()

    const building = buildTools(bashDefinition({ resolver: () => runner }, { tty: true }), await offered())

    await expect(building).rejects.toMatchObject({ code: 'missing_dependency', dependency: 'tty' })
  })

  it('names the package that a terminal lacks', async () => {
    vi.doMock('@lydell/node-pty', () => {
      throw new Error('not installed')
    })

    const building = buildTools(bashDefinition({ resolver: testRunner }, { tty: true }), await offered())

    await expect(building).rejects.toMatchObject({ code: 'missing_dependency', dependency: '@lydell/node-pty' })
    vi.doUnmock('@lydell/node-pty')
  })
})

describe('the process definitions', () => {
  const all = [
    ['ProcessOutput', processOutputDefinition()],
    ['ProcessInput', processInputDefinition()],
    ['ProcessStop', processStopDefinition()],
  ] as const

  it.each(all)('%s needs processes and no workspace', async (name, definition) => {
    const { workspace: _, ...available } = await offered()

    const [tool] = await buildTools(definition, available)

    expect(definition.requires).toEqual(['processes'])
    expect(tool?.info.name).toBe(name)
  })

  it.each(all)(
    '%s does not build where something else is under the key of the supervisor',
    async (name, definition) => {
      const available = await offered()
      const foreign = { activate: async () => {}, shutdown: async () => {} }
      await available.processes.resources.getOrCreate('looprig-processes', async () => foreign)

      const building = buildTools(definition, available)

      await expect(building).rejects.toMatchObject({
        code: 'missing_dependency',
        definition: name,
        dependency: 'process_registry',
      })
    },
  )

  it('does not build where the session cannot keep resources', async () => {
    const resources = { getOrCreate: () => Promise.reject(new Error('full')) }

    const building = buildTools(processOutputDefinition(), { ...ids(), processes: { resources } })

    await expect(building).rejects.toMatchObject({ dependency: 'process_registry', cause: new Error('full') })
  })

  it('share one supervisor per session, and two sessions share none', async () => {
    const [one, other] = [await openSession(), await openSession()]
    const id = await one.start('sleep 30')

    expect((await one.json('ProcessOutput', { process_id: id })).status).toBe('running')
    expect(await other.json('ProcessOutput', { process_id: id })).toEqual({ process_id: id, error: 'not_found' })
  })

  it('refuses two different sets of limits in one session', async () => {
    const available = await offered()
    await buildTools(processOutputDefinition({ processes: { maxWaiting: 2 } }), available)
    await buildTools(processInputDefinition(), available)
    await buildTools(processInputDefinition({ processes: { maxWaiting: 2 } }), available)

    const building = buildTools(processStopDefinition({ processes: { maxWaiting: 3 } }), available)

    await expect(building).rejects.toMatchObject({ code: 'invalid_definition', dependency: 'processes' })
  })
})

describe('directRunner', () => {
  it.each([
    [{ environment: { 'A=B': 'x' } }, 'environment.?'],
    [{ environment: { A: 'x\0' } }, 'environment.A'],
    [{ environment: {}, shell: 'sh' }, 'shell'],
    [{ environment: {}, graceMs: -1 }, 'graceMs'],
  ])('refuses %j', (options, dependency) => {
    expect(() => directRunner(options)).toThrow(DefinitionBuildError)
    expect(() => directRunner(options)).toThrow(expect.objectContaining({ dependency }))
  })

  it('does not build without an environment: none is inherited', () => {
    expect(() => directRunner({} as never)).toThrow(expect.objectContaining({ dependency: 'environment' }))
  })
})

describe('commandEnvironment', () => {
  it('keeps what a command may know and what is allowed by name', () => {
    const source = {
      PATH: '/bin',
      LC_ALL: 'C',
      OPENAI_API_KEY: 'SENTINEL',
      BASH_ENV: '/evil',
      ENV: '/evil',
      LD_PRELOAD: '/evil.so',
      'BASH_FUNC_ls%%': '() { evil; }',
      NODE_OPTIONS: '--require /evil',
      CI: '1',
      TERM: undefined,
    }

    expect(commandEnvironment(source, { allow: ['CI'] })).toEqual({ PATH: '/bin', LC_ALL: 'C', CI: '1' })
  })
})
