import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sqliteStore } from '@looprig/store/sqlite'
import { build } from 'tsup'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arrangePlace } from './program-process.ts'

/** Inside the package, so that the bundle finds the same built packages as the assistant does. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
let folder = ''

beforeAll(async () => {
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(join(cache, 'effect-'))
  const entry = { main: fileURLToPath(new URL('../fixtures/effect-assistant.ts', import.meta.url)) }
  const external = [/^@looprig\//, 'zod']
  await build({
    entry,
    outDir: folder,
    external,
    format: 'esm',
    target: 'node20',
    config: false,
    silent: true,
    dts: false,
    clean: false,
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Body {
  readonly type?: string
  readonly turnId?: string
  readonly messages?: readonly {
    readonly role: string
    readonly toolUseId?: string
    readonly blocks: readonly Block[]
  }[]
}

interface Block {
  readonly type: string
  readonly id?: string
  readonly text?: string
}

async function readEvents(dataFolder: string, session: string): Promise<readonly Body[]> {
  const store = sqliteStore({ path: join(dataFolder, 'sessions.db') })
  try {
    const records = await store.ledger.read({ session, after: 0, limit: 1_000 })
    return records.filter((record) => record.kind === 'event').map((record) => JSON.parse(record.body))
  } finally {
    await store.close()
  }
}

/** One terminal per turn that began, and one result per call, in call order. */
function expectWhole(events: readonly Body[]): void {
  const began = events.filter(({ type }) => type === 'TurnStarted').map(({ turnId }) => turnId)
  const ends = events.filter(({ type }) => type === 'TurnDone' || type === 'TurnFailed' || type === 'TurnInterrupted')
  expect(ends.map(({ turnId }) => turnId).sort()).toEqual([...began].sort())
  for (const { type, messages = [] } of events) {
    if (type !== 'StepDone') continue
    const calls = messages[0]?.blocks.filter((block) => block.type === 'tool_use').map(({ id }) => id)
    expect(messages.slice(1).map(({ toolUseId }) => toolUseId)).toEqual(calls)
  }
}

const read = { toolCalls: [{ name: 'ReadFile', input: { path: 'a.ts' } }] }
const effect = {
  toolCalls: [
    { name: 'Append', input: { line: 'once' } },
    { name: 'ReadFile', input: { path: 'a.ts' } },
  ],
}

describe.skipIf(process.platform === 'win32')('SIGKILL', () => {
  async function killAndResume(moment: 'after the first step' | 'inside the effect') {
    const place = arrangePlace(join(folder, 'main.js'))
    const { start, scripted, dataFolder, workspace } = place
    const second = moment === 'inside the effect' ? effect : { ...effect, delayMs: 60_000 }
    const run = start([...scripted(read, second), '--output-format', 'stream-json', 'First?'])
    await run.seen('stdout', /"type":"StepDone".*\n/)
    if (moment === 'inside the effect') await run.seen('stderr', /the effect happened/)
    run.child.kill('SIGKILL')
    expect(await run.ended).toMatchObject({ code: null, signal: 'SIGKILL' })

    const [{ id, status }] = JSON.parse((await start(['sessions', '--output-format', 'json']).ended).stdout)
    const resumed = await start([...scripted({ text: 'went on' }), '--resume', id, 'Second?']).ended
    const path = join(workspace, 'EFFECT.txt')
    const effects = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return { status, resumed, effects, events: await readEvents(dataFolder, id) }
  }

  it('after the first step leaves a session that goes on', async () => {
    const { status, resumed, effects, events } = await killAndResume('after the first step')

    expect(status).toBe('interrupted')
    expect(resumed).toMatchObject({ code: 0, stdout: 'went on\n' })
    expect(effects).toBe('')
    expectWhole(events)
  })

  it('inside an effect never lets it happen twice, and tells the model that it may have happened', async () => {
    const { status, resumed, effects, events } = await killAndResume('inside the effect')

    expect(status).toBe('interrupted')
    expect(resumed).toMatchObject({ code: 0, stdout: 'went on\n' })
    expect(effects).toBe('once\n')
    expectWhole(events)
    expect(JSON.stringify(events)).toContain('It may have happened')
  })
})
