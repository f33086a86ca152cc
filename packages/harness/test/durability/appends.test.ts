import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GateId } from '@looprig/core'
import type { AppendRequest } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { faultyStore } from '../../src/testing.ts'
import { tempFolder } from '../journal/stores.ts'
import { acts, durableRig, type RigPlan } from './durable-rig.ts'
import { bundleOwner, startOwner } from './owner-child.ts'

let script = ''
beforeAll(async () => {
  script = await bundleOwner(tempFolder())
})

/** The appends of one turn, as lists of what they hold; what waits for a person is approved. */
async function appendsOf(plan: RigPlan, hold?: Promise<void>): Promise<readonly string[]> {
  const store = faultyStore(memoryStore(), () => undefined)
  const world = { folder: tempFolder(), act: () => undefined, held: () => hold ?? Promise.resolve() }
  const session = await durableRig(store, world, plan).newSession()
  const from = store.appends.length
  const submission = session.submit('go')
  await session.waitIdle({ orWaiting: true })
  for (const { gateId } of session.gates()) await session.answer(gateId as GateId, { action: 'approve' })
  await submission.result()
  await session.shutdown()
  return store.appends.slice(from).map(contents)
}

/** What an append holds; decisions without a question are left out, since they cost no append of their own. */
function contents({ records }: AppendRequest): string {
  const names = records.map(({ id, kind, body }) =>
    kind === 'event' ? JSON.parse(body).type : id.replace(/\/[^/]*/, ''),
  )
  return names.filter((name) => name !== 'PermissionDecided').join(' ')
}

const begin = 'in TurnStarted SessionActive'
const end = 'StepDone TurnDone LoopIdle SessionIdle'
const ok = { text: 'ok' }

describe('the appends of a turn (39)', () => {
  it.each<readonly [string, RigPlan, readonly string[]]>([
    ['of a text are two: accept and begin, answer and end', { says: [ok] }, [begin, end]],
    ['add one for a replay-safe call', { says: [acts(['a'], 'SafeAct'), ok] }, [begin, 'StepDone', end]],
    ['add two for an effectful call', { says: [acts(['a']), ok] }, [begin, 'step run', 'StepDone', end]],
    [
      'add three for an effectful call at a gate',
      { says: [acts(['ask']), ok] },
      [begin, 'step PermissionRequested', 'GateResolved run', 'StepDone', end],
    ],
    [
      'add two for four effectful calls that run at once',
      { says: [acts(['a', 'b', 'c', 'd']), ok] },
      [begin, 'step run run run run', 'StepDone', end],
    ],
    [
      'add one for each call that has to wait for its place',
      { says: [acts(['a', 'b']), ok], parallel: 1 },
      [begin, 'step run', 'run', 'StepDone', end],
    ],
  ])('%s', async (_, plan, appends) => {
    expect(await appendsOf(plan)).toEqual(appends)
  })

  it('add one behind, for which nobody waits, for a call that ended long before the last', async () => {
    const says = [{ toolCalls: [...(acts(['a']).toolCalls ?? []), ...(acts(['b'], 'Act', true).toolCalls ?? [])] }, ok]
    const slow = new Promise<void>((resolve) => setTimeout(resolve, 120))

    expect(await appendsOf({ says }, slow)).toEqual([begin, 'step run run', 'run/end', 'StepDone', end])
  })
})

/** Whether this machine can show when a process waits for the disk; where it cannot, appends are counted above. */
const traces = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0

describe.skipIf(!traces)('the syncs of a turn, seen by strace (39)', () => {
  it('are one for each append, and come before what they make durable is told', async () => {
    const folder = tempFolder()
    const trace = join(folder, 'trace')
    const tracer = ['strace', '-f', '-y', '-s', '160', '-e', 'trace=fsync,fdatasync,write', '-o', trace]
    const owner = startOwner(script, folder, { says: [acts(['a']), ok] }, tracer)
    await owner.newSession()
    owner.say({ do: 'submit', text: 'go' })
    await owner.untilEvent('SessionIdle')
    owner.end()
    await owner.exited()

    const story = readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((call) => {
        if (/\b(fsync|fdatasync)\(\d+<.*sessions\.db-wal>/.test(call)) return ['sync']
        if (call.includes('effects>')) return ['effect']
        const [, told] = /write\(1<.*?"\{\\"event\\":\{.*?\\"type\\":\\"(\w+)\\"/.exec(call) ?? []
        return told === undefined ? [] : [told]
      })
    const turn = story.slice(story.lastIndexOf('sync', story.indexOf('TurnStarted')), story.indexOf('SessionIdle') + 1)

    // what is told of a call may come before or after its effect
    expect(turn.filter((what) => !what.startsWith('ToolCall') && what !== 'PermissionDecided')).toEqual([
      ...['sync', 'TurnStarted', 'SessionActive'],
      ...['sync', 'effect'],
      ...['sync', 'StepDone'],
      ...['sync', 'StepDone', 'TurnDone', 'LoopIdle', 'SessionIdle'],
    ])
  })
})
