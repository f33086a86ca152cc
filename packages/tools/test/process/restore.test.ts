import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionResourceServices } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { makeReadOnly } from '../support/failing-place.ts'
import { becomes } from './support/live-processes.ts'
import { openSession, type ProcessSession } from './support/process-session.ts'

/** The same session, opened again by another host. */
async function restored(session: ProcessSession, services?: SessionResourceServices): Promise<ProcessSession> {
  const { root, folder, sessionId, loopId } = session
  return openSession({ root, folder, sessionId, loopId, ...(services === undefined ? {} : { services }) })
}

const directoryOf = (session: ProcessSession) => session.resources.directoryOf('looprig-processes')
const manifestPath = (session: ProcessSession, id: string) => join(directoryOf(session), `${id}.manifest.json`)
const manifestOf = (session: ProcessSession, id: string) => JSON.parse(readFileSync(manifestPath(session, id), 'utf8'))

/** Waits until everybody knows that it has ended. */
const toldOf = (session: ProcessSession, id: string) => becomes(() => manifestOf(session, id).notice !== 'pending')

describe('a restored session', () => {
  it('can read what a process that had ended printed, and tells nothing twice', async () => {
    const session = await openSession()
    const id = await session.start('echo kept; exit 5')
    await session.services.until('notice')
    await toldOf(session, id)

    const again = await restored(session)

    expect(await again.json('ProcessOutput', { process_id: id })).toMatchObject({
      status: 'exited',
      exit_code: 5,
      output: 'kept\n',
    })
    expect(again.services.log).toEqual([])
  })

  it('takes a process that was running for lost, once, under the id that was kept, and signals nothing', async () => {
    const session = await openSession()
    const id = await session.start('echo before; sleep 30')
    await session.json('ProcessOutput', { process_id: id, wait: 'any' })
    const { events } = manifestOf(session, id)
    const sent: unknown[] = []
    const kill = process.kill
    process.kill = (...call) => {
      sent.push(call)
      return true
    }

    const again = await restored(session)
    const stop = await again.json('ProcessStop', { process_id: id, mode: 'kill' })
    process.kill = kill
    const third = await restored(session)

    expect(again.services.events).toEqual([
      expect.objectContaining({
        eventId: events.lost,
        kind: 'lost',
        state: 'lost_on_restore',
        reason: 'lost_on_restore',
      }),
    ])
    expect(again.services.notices.map(({ inputId }) => inputId)).toEqual([events.notice])
    expect(again.services.log).toEqual(['lost', 'notice'])
    expect(await again.json('ProcessOutput', { process_id: id })).toMatchObject({
      status: 'lost_on_restore',
      output: 'before\n',
    })
    expect(stop).toMatchObject({ status: 'lost_on_restore' })
    expect(sent).toEqual([])
    expect(third.services.log).toEqual([])
  })

  it('tells again, under the same ids, what the crash kept from being told', async () => {
    const session = await openSession()
    const id = await session.start('exit 1')
    await session.services.until('notice')
    await toldOf(session, id)
    const told = manifestOf(session, id)
    writeFileSync(manifestPath(session, id), JSON.stringify({ ...told, isPublished: false, notice: 'pending' }))

    const again = await restored(session)

    expect(again.services.events).toEqual([session.services.events.at(-1)])
    expect(again.services.notices).toEqual(session.services.notices)
  })

  it('tells what the journal refused when it is restored the next time', async () => {
    const session = await openSession()
    const id = await session.start('sleep 30')
    const refusing: SessionResourceServices = {
      publish: () => Promise.reject(new Error('journal')),
      notify: () => Promise.reject(new Error('journal')),
    }

    const second = await restored(session, refusing)
    const third = await restored(session)

    expect(await second.json('ProcessOutput', { process_id: id })).toMatchObject({ status: 'lost_on_restore' })
    expect(third.services.log).toEqual(['lost', 'notice'])
  })

  it('tells the end of a session to a model that waited for a process then', async () => {
    const session = await openSession()
    const id = await session.start('sleep 30')
    await session.resources.shutdown()

    const again = await restored(session)

    expect(session.services.log).toEqual(['backgrounded', 'completed'])
    expect(again.services.log).toEqual(['notice'])
    expect(again.services.notices[0]?.text).toContain(id)
  })

  it('leaves out what is no manifest, touches it not, and restores the rest', async () => {
    const session = await openSession()
    const good = await session.start('echo good')
    await session.ended(good)
    await toldOf(session, good)
    const bad = (letter: string) => letter.repeat(22)
    const whole = manifestOf(session, good)
    const files: Record<string, string> = {
      [`${bad('a')}.manifest.json`]: '{',
      [`${bad('b')}.manifest.json`]: JSON.stringify({ ...whole, handle: bad('b'), version: 2 }),
      [`${bad('c')}.manifest.json`]: JSON.stringify(whole), // it names another
      [`${bad('d')}.manifest.json`]: JSON.stringify({ ...whole, handle: bad('d'), exitCode: undefined }),
      [`${bad('e')}.manifest.json`]: JSON.stringify({ ...whole, handle: '../../../../../../etc/pa' }),
      [`${bad('f')}.manifest.json`]: JSON.stringify({ ...whole, handle: bad('f'), pid: 1 }),
      'notes.txt': 'mine',
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directoryOf(session), name), text)
    symlinkSync('/etc/passwd', join(directoryOf(session), `${bad('g')}.manifest.json`))
    mkdirSync(join(directoryOf(session), `${bad('h')}.manifest.json`))

    const again = await restored(session)

    expect(await again.json('ProcessOutput', { process_id: good })).toMatchObject({ output: 'good\n' })
    for (const letter of 'abcdefgh') {
      expect(await again.json('ProcessOutput', { process_id: bad(letter) })).toMatchObject({ error: 'not_found' })
    }
    for (const [name, text] of Object.entries(files)) {
      expect(readFileSync(join(directoryOf(session), name), 'utf8')).toBe(text)
    }
    expect(again.services.log).toEqual([])
  })

  it('says that output cannot be trusted which contradicts its record', async () => {
    const session = await openSession()
    const [longer, linked] = [await session.start('echo 1'), await session.start('echo 2')]
    for (const id of [longer, linked]) await session.ended(id)
    await toldOf(session, linked)
    writeFileSync(join(directoryOf(session), `${longer}.0.log`), 'more than there was')
    writeFileSync(join(directoryOf(session), `${linked}.1.log`), 'overlaps')

    const again = await restored(session)

    for (const id of [longer, linked]) {
      expect(await again.call('ProcessOutput', { process_id: id })).toMatchObject({
        isError: true,
        code: 'spool_corrupt',
      })
      expect(await again.json('ProcessOutput', { process_id: id })).toMatchObject({ status: 'exited' })
    }
  })

  it('follows no link that stands in for output', async () => {
    const session = await openSession()
    const id = await session.start('true')
    await session.ended(id)
    await toldOf(session, id)
    writeFileSync(manifestPath(session, id), JSON.stringify({ ...manifestOf(session, id), totalBytes: 10_000 }))
    symlinkSync('/etc/passwd', join(directoryOf(session), `${id}.0.log`))

    const again = await restored(session)
    const result = await again.call('ProcessOutput', { process_id: id })

    expect(result).toMatchObject({ isError: true, code: 'spool_corrupt' })
    expect(JSON.stringify(result)).not.toContain('root')
  })

  it('clears away what a crash left half done', async () => {
    const session = await openSession()
    const directory = directoryOf(session)
    const temporary = `.${'a'.repeat(22)}.${'0'.repeat(32)}.tmp`
    writeFileSync(join(directory, temporary), '{')
    writeFileSync(join(directory, `${'a'.repeat(22)}.0.log`), 'of nobody')

    await restored(session)

    expect(readdirSync(directory)).toEqual([])
  })

  it('keeps the order of what ended when it has to give some up', async () => {
    const session = await openSession({ bash: { processes: { maxRetained: 3 } } })
    const ids: string[] = []
    for (let index = 0; index < 3; index += 1) {
      const id = await session.start(`echo ${index}`)
      await session.ended(id)
      await toldOf(session, id)
      ids.push(id)
    }
    const { root, folder, sessionId, loopId } = session

    const again = await openSession({ root, folder, sessionId, loopId, bash: { processes: { maxRetained: 1 } } })

    const errors = await Promise.all(
      ids.map(async (id) => (await again.json('ProcessOutput', { process_id: id })).error),
    )
    expect(errors).toEqual(['not_found', 'not_found', undefined])
  })

  it('is restored even where the disk takes no change, and tells then what it can tell later', async ({ skip }) => {
    const session = await openSession()
    const id = await session.start('sleep 30')
    await session.json('ProcessOutput', { process_id: id, wait: 'any', timeout_ms: 10 })
    if (!makeReadOnly(directoryOf(session))) return skip('cannot take the right to write away here')

    const again = await restored(session)

    expect((await again.json('ProcessOutput', { process_id: id })).status).toBe('lost_on_restore')
    expect(again.services.log).toEqual([])
  })
})
