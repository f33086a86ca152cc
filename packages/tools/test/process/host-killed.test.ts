import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { realpath, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pause } from '../../src/process/group/pause.ts'
import { type BuiltPackages, buildPackages } from '../support/built-packages.ts'
import { becomes, markedSleep, processesWith } from './support/live-processes.ts'
import { openSession, tempFolder } from './support/process-session.ts'

/** A host that starts one background process and tells its id. */
const host = hostOf(`
const prepared = await bash.prepareCall(context, JSON.stringify({ command, background: true }))
const result = await bash.invoke({ ...context, prepared: seal({ executionId: sessionId, ...prepared }) }, '{}')
console.log(result.content[0].text)
`)

/** A host that starts processes for ever, short ones and long ones. */
const busyHost = hostOf(`
console.log('ready')
for (let index = 0; ; index += 1) {
  const prepared = await bash.prepareCall(context, JSON.stringify({ command: index % 3 ? 'echo short' : command, background: true }))
  await bash.invoke({ ...context, prepared: seal({ executionId: sessionId, ...prepared }) }, '{}')
}
`)

function hostOf(work: string): string {
  return `
import { mkdirSync } from 'node:fs'
import { buildTools, seal } from '@looprig/tools'
import { bashDefinition, commandEnvironment, directRunner } from '@looprig/tools/process'
const [root, directory, sessionId, loopId, command] = process.argv.slice(1)
mkdirSync(directory, { recursive: true, mode: 0o700 })
let made
const resources = { getOrCreate: (key, create) => (made ??= create(directory)) }
const runner = directRunner({ environment: commandEnvironment({ ...process.env, PATH: (process.env.PATH ?? '') + ':/usr/local/bin:/usr/bin:/bin' }) })
const [bash] = await buildTools(bashDefinition({ resolver: () => runner }), { sessionId, loopId, workspace: { root }, processes: { resources } })
await (await made).activate({ publish: async () => {}, notify: async () => {} })
const context = { executionId: sessionId, toolUseId: 'c', signal: new AbortController().signal }
${work}`
}

const ids = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'] as const

let built: BuiltPackages

beforeAll(async () => {
  built = await buildPackages()
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
  for (const name of ['unbash', 'isbinaryfile', 'diff', 'undici', 'proper-lockfile']) {
    await symlink(await realpath(join(modules, name)), join(built.folder, 'node_modules', name)).catch(() => undefined)
  }
}, 120_000)

afterAll(() => rm(built.folder, { recursive: true, force: true }))

describe('a host that is killed', () => {
  it('leaves a process that the next host takes for lost, can read, and never signals', async () => {
    const [root, folder, sleep] = [await tempFolder(), await tempFolder(), markedSleep()]
    const directory = join(folder, 'looprig-processes')
    const args = ['--input-type=module', '-e', host, root, directory, ...ids, `echo printed; sleep ${sleep}`]
    const child = spawn(process.execPath, args, { cwd: built.folder, stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout })
    const [line] = (await once(lines, 'line')) as [string] // the host prints one line
    const id = JSON.parse(line).process_id as string // Bash answers with an object
    expect(await becomes(() => processesWith(`sleep\0${sleep}`).length === 1)).toBe(true)

    child.kill('SIGKILL')
    await once(child, 'exit')
    const sent: unknown[] = []
    const kill = process.kill
    process.kill = (...call) => {
      sent.push(call)
      return true
    }
    const session = await openSession({ root, folder, sessionId: ids[0] as never, loopId: ids[1] as never }) // canonical UUIDs
    const shown = await session.json('ProcessOutput', { process_id: id })
    await session.json('ProcessStop', { process_id: id, mode: 'kill' })
    await session.resources.shutdown()
    process.kill = kill
    const survivors = processesWith(`sleep\0${sleep}`)
    for (const pid of survivors) process.kill(pid, 'SIGKILL')

    expect(shown).toMatchObject({ status: 'lost_on_restore', output: 'printed\n' })
    expect(session.services.log).toEqual(['lost', 'notice'])
    expect(sent).toEqual([])
    expect(survivors).toHaveLength(1) // it runs on: only a runner that ties it to its host could end it
  })

  it('leaves records that can all be read, whenever it is killed', async () => {
    for (const milliseconds of [0, 5, 15, 30, 60, 90, 140, 200]) {
      const [root, folder, sleep] = [await tempFolder(), await tempFolder(), markedSleep()]
      const directory = join(folder, 'looprig-processes')
      const args = ['--input-type=module', '-e', busyHost, root, directory, ...ids, `sleep ${sleep}`]
      const child = spawn(process.execPath, args, { cwd: built.folder, stdio: ['ignore', 'pipe', 'inherit'] })
      await once(createInterface({ input: child.stdout }), 'line')
      await pause(milliseconds)
      child.kill('SIGKILL')
      await once(child, 'exit')

      const session = await openSession({ root, folder, sessionId: ids[0] as never, loopId: ids[1] as never }) // canonical UUIDs
      const names = readdirSync(directory)
      const handles = names.filter((name) => name.endsWith('.manifest.json')).map((name) => name.slice(0, 22))
      for (const handle of handles) {
        const shown = await session.json('ProcessOutput', { process_id: handle })
        expect(shown.error).toBeUndefined()
        expect(['exited', 'lost_on_restore']).toContain(shown.status)
        if (shown.status === 'exited') expect(shown.output).toBe('short\n')
      }
      expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([])
      const told = session.services.events.map(({ processId }) => processId)
      expect(new Set(told).size).toBe(told.length)
      for (const pid of processesWith(sleep)) process.kill(pid, 'SIGKILL')
    }
  }, 120_000)
})
