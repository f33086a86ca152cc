/** A command in the foreground of a real session that somebody ends. */
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { resultTexts } from '../session/open-session.ts'
import { CatalogueWorld, calls, failedCodes } from './catalogue-world.ts'
import { liveProcesses } from './live-processes.ts'

let count = 0

/** A session whose command has begun, and started a child that holds its output. */
async function running() {
  count += 1
  const sleep = `3${process.pid}.7${count}`
  const world = new CatalogueWorld(memoryStore())
  world.put('a.txt', 'one\n')
  const command = `echo printed; sleep ${sleep} & sleep ${sleep}`
  const { session, recording } = await world.open({
    says: [calls(['Bash', { command }]), { text: 'ok' }, { text: 'ok' }],
    allowed: ['command.execute'],
  })
  const submission = session.submit('Go')
  // it tells its first line once it runs for a while; the processes are there by then
  await recording.waitFor('ToolCallStarted')
  while (liveProcesses(`sleep\0${sleep}`).length < 2) await new Promise((resolve) => setImmediate(resolve))
  return { world, session, recording, submission, left: () => liveProcesses(`sleep\0${sleep}`) }
}

describe.skipIf(process.platform !== 'linux')('a command in the foreground', () => {
  it('ends with an interrupt, with all that it started, and keeps what it printed', async () => {
    const { session, recording, submission, left } = await running()

    await session.interrupt()
    await submission.result()

    expect(left()).toEqual([])
    expect(failedCodes(recording, 'Bash')).toEqual(['interrupted'])
    expect(resultTexts(session.history())[0]).toMatch(/^printed\n/)
  })

  it('ends with the shutdown of its session, with all that it started', async () => {
    const { session, submission, left } = await running()

    await session.shutdown()
    await submission.result().catch(() => undefined)

    expect(left()).toEqual([])
  })
})
