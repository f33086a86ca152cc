/** A process in the background of a real session: its end, its output, and who may ask for it. */
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { storeKinds } from '../journal/stores.ts'
import { resultTexts } from '../session/open-session.ts'
import { type Says, shownProcess } from './catalogue-rig.ts'
import { CatalogueWorld, calls } from './catalogue-world.ts'

/** Prints, waits for the file `go`, and ends with code 3. */
const command = 'echo first; while [ ! -f go ]; do sleep 0.02; done; echo last; exit 3'
const start = calls(['Bash', { command, background: true }])
const allowed = ['command.execute']

const outputOf = (processId: string, more = {}) => calls(['ProcessOutput', { process_id: processId, ...more }])

/** Starts it in a turn of its own; gives its id. */
async function started(
  world: CatalogueWorld,
  says: readonly Says[],
  helper: { readonly helperSays?: readonly Says[] } = {},
) {
  let processId = ''
  const learn: Says = (request) => {
    processId = shownProcess(request)
    return { text: 'It runs.' }
  }
  const opened = await world.open({ says: [start, learn, ...says], ...helper, allowed })
  await opened.session.submit('Go').result()
  return { ...opened, processId: () => processId }
}

describe.each(storeKinds)('a process in the background ($name)', ({ open }) => {
  it('wakes its loop with one notice when it has ended, and its output is paged to the end', async () => {
    const world = new CatalogueWorld(open())
    let id = ''
    const page =
      (cursor: number): Says =>
      () =>
        outputOf(id, { cursor, limit_bytes: 4 })
    const opened = await started(world, [page(0), page(4), page(8), { text: 'It is over.' }])
    id = opened.processId()
    const { session, recording } = opened
    expect(await session.waitIdle()).toBe('idle')

    world.put('go', '')
    await recording.waitFor('TurnDone', 2)
    await session.waitIdle()

    const pages = resultTexts(session.history())
      .slice(1)
      .map((text) => JSON.parse(text))
    expect(pages.map(({ output }) => output).join('')).toBe('first\nlast\n')
    expect(pages.at(-1)).toMatchObject({ status: 'exited', exit_code: 3, next_cursor: 11, total_bytes: 11 })
    expect(recording.events('ProcessCompleted')).toMatchObject([{ state: 'exited', exitCode: 3 }])
    expect(recording.events('TurnStarted')).toHaveLength(2)
  })

  it('is over after a shutdown, told once, and read in the next process', async () => {
    const world = new CatalogueWorld(open())
    const { session, processId } = await started(world, [])
    await session.shutdown()

    const next = await world.restore(session.id, {
      says: [outputOf(processId()), { text: 'I see.' }, { text: 'I see.' }, { text: 'I see.' }],
    })
    await next.session.submit('And?').result()
    await next.session.waitIdle()
    await next.session.shutdown()
    const last = await world.restore(session.id)
    await last.session.shutdown()
    await last.recording.ended

    const shown = resultTexts(next.session.history()).map((text) => JSON.parse(text))
    expect(shown.at(-1)).toMatchObject({ status: 'terminated', output: 'first\n' })
    expect(last.recording.events('ProcessCompleted')).toMatchObject([{ state: 'terminated' }])
    expect(last.recording.events('ProcessLost')).toEqual([])
  })
})

describe('a process of somebody else', () => {
  const uses = (id: string) =>
    calls(
      ['ProcessOutput', { process_id: id }],
      ['ProcessOutput', { process_id: id, wait: 'any', timeout_ms: 60_000 }],
      ['ProcessInput', { process_id: id, data: 'x' }],
      ['ProcessStop', { process_id: id, mode: 'kill' }],
    )
  const unknown = 'A'.repeat(22)

  /** What is answered for the process, without its id, and what for one that there never was. */
  async function compared(texts: readonly string[], id: string) {
    expect(texts).toHaveLength(8)
    for (const text of texts) expect(text).toContain('not_found')
    expect(texts.slice(0, 4).map((text) => text.replaceAll(id, unknown))).toEqual(texts.slice(4))
  }

  it('is to another session as if it were not, and goes on', async () => {
    const world = new CatalogueWorld(memoryStore())
    const { processId, recording } = await started(world, [{ text: 'It is over.' }])
    const other = await world.open({ says: [uses(processId()), uses(unknown), { text: 'ok' }], allowed })

    await other.session.submit('Go').result()

    await compared(resultTexts(other.session.history()), processId())
    expect(recording.events('ProcessCompleted')).toEqual([])
  })

  it('is to another agent of its session as if it were not, and goes on', async () => {
    const world = new CatalogueWorld(memoryStore())
    let id = ''
    const opened = await started(
      world,
      [calls(['StartAgent', { agent_type: 'helper', instructions: 'look' }]), { text: 'ok' }],
      { helperSays: [() => uses(id), uses(unknown), { text: 'done' }] },
    )
    id = opened.processId()
    const { session, recording } = opened

    await session.submit('Ask').result()

    const helper = session.loops.find(({ name }) => name === 'helper')
    if (helper === undefined) throw new Error('there is no helper')
    await compared(resultTexts(session.history(helper.loopId)), id)
    expect(recording.events('ProcessCompleted')).toEqual([])
  })
})
