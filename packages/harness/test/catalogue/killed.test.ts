/** A session whose process is killed: what of its tools the next process finds, tells and does. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundleChild, runChild } from '../crash/crash-child.ts'
import { openSqlite, tempFolder } from '../journal/stores.ts'
import { resultTexts } from '../session/open-session.ts'
import { CatalogueWorld, calls, onlyGate } from './catalogue-world.ts'
import { liveProcesses } from './live-processes.ts'

let script = ''

beforeAll(async () => {
  script = await bundleChild('../catalogue/killed-session-main', tempFolder())
}, 120_000)

/** What a killed process left. */
async function killed(what: 'background' | 'write', ...more: readonly string[]) {
  const folder = tempFolder()
  const { ended, said } = await runChild(script, folder, what, ...more)
  expect(ended).toBe('SIGKILL')
  return { world: new CatalogueWorld(openSqlite(folder), folder), ...JSON.parse(said) }
}

describe.skipIf(process.platform !== 'linux')('a process in the background of a session that was killed', () => {
  it('is lost once, can still be read, and is never signalled', async () => {
    const sleep = `3${process.pid}.1`
    const { world, session: id, processId } = await killed('background', sleep)
    onTestFinished(() => {
      for (const pid of liveProcesses(`sleep\0${sleep}`)) process.kill(pid, 'SIGKILL')
    })
    const sent: unknown[] = []
    const kill = process.kill
    process.kill = (...call) => {
      sent.push(call)
      return true
    }
    onTestFinished(() => {
      process.kill = kill
    })

    const next = await world.restore(id, {
      allowed: ['command.execute'],
      says: [
        calls(['ProcessOutput', { process_id: processId }], ['ProcessStop', { process_id: processId, mode: 'kill' }]),
        { text: 'I see.' },
        { text: 'I see.' },
      ],
    })
    await next.session.waitIdle()
    await next.session.submit('And?').result()
    await next.session.shutdown()
    const last = await world.restore(id)
    await last.session.shutdown()
    await last.recording.ended
    const survivors = liveProcesses(`sleep\0${sleep}`)

    expect(last.recording.events('ProcessLost')).toMatchObject([{ processId }])
    expect(last.recording.events('ProcessCompleted')).toEqual([])
    const shown = resultTexts(next.session.history()).flatMap((text) =>
      text.startsWith('{') ? [JSON.parse(text)] : [],
    )
    expect(shown).toContainEqual(expect.objectContaining({ status: 'lost_on_restore', output: 'printed\n' }))
    expect(sent).toEqual([])
    expect(survivors).toHaveLength(1)
  }, 60_000)
})

describe('a write that waits in a session that was killed', () => {
  it('is made exactly once by the approval in the next process', async () => {
    const { world, session: id } = await killed('write')
    const { session } = await world.restore(id, { says: [{ text: 'ok' }] })
    const gate = await onlyGate(session)
    const before = world.text('a.txt')

    await session.answer(gate.gateId, { action: 'approve' })
    await session.waitIdle()
    const after = world.text('a.txt')
    await session.shutdown()
    world.put('a.txt', 'mine\n')
    await (await world.restore(id)).session.waitIdle()

    expect([before, after, world.text('a.txt')]).toEqual([undefined, 'new\n', 'mine\n'])
  }, 60_000)

  it('is not made where the file is there by then', async () => {
    const { world, session: id } = await killed('write')
    world.put('a.txt', 'mine\n')
    const { session } = await world.restore(id, { says: [{ text: 'ok' }] })

    await session.answer((await onlyGate(session)).gateId, { action: 'approve' })
    await session.waitIdle()

    expect(world.text('a.txt')).toBe('mine\n')
    expect(resultTexts(session.history())[0]).toMatch(/^stale: /)
  }, 60_000)
})
