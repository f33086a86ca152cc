import { describe, expect, it } from 'vitest'
import { model } from '../session/open-session.ts'
import { openBusy } from './busy-session.ts'
import { handOver } from './other-process.ts'
import { openSteered } from './steered-session.ts'

describe('an input that was accepted and gets no turn', () => {
  it('is rejected as the 65th that waits, whoever handed it over', async () => {
    const { session, store, first, goOn, recording } = await openBusy()
    const queued = Array.from({ length: 63 }, (_, n) => session.submit(`q${n}`))
    await Promise.all(queued.map((submission) => submission.accepted))

    await handOver(store, session.id, session.loopId, { text: 'fits' })
    const over = await handOver(store, session.id, session.loopId, { text: 'one too many' })
    const rejected = await recording.waitFor('TurnRejected')
    goOn('answer')
    await Promise.all([first, ...queued].map((submission) => submission.result()))
    await session.waitIdle()

    expect(rejected).toMatchObject({
      inputId: over,
      reason: 'queue_full',
      message: { role: 'user', blocks: [{ type: 'text', text: 'one too many' }] },
    })
    expect(session.history()).toHaveLength(130)
    expect(JSON.stringify(session.history())).not.toContain('one too many')
  })

  it('tells so to who submits it again, also after a restore', async () => {
    const { session, store, rig, goOn, recording } = await openBusy()
    const queued = Array.from({ length: 64 }, (_, n) => session.submit(`q${n}`))
    await Promise.all(queued.map((submission) => submission.accepted))
    const inputId = await handOver(store, session.id, session.loopId, { text: 'over' })
    await recording.waitFor('TurnRejected')

    const live = await session.submit('over', { inputId }).result()
    const closed = session.shutdown()
    goOn('answer')
    await closed
    await using restored = await rig.restoreSession(session.id)
    const later = await restored.submit('over', { inputId }).result()

    expect(live).toMatchObject({ status: 'rejected', inputId, error: { code: 'queue_full' } })
    expect(later).toEqual(live)
  })

  it('is rejected when its model takes no images, and what is behind it runs', async () => {
    const plain = { provider: model.provider, name: model.name }
    const after = [{ text: 'one' }, { text: 'two' }]
    const { session, store, first, goOn, recording } = await openSteered({ after, loop: { model: plain } })
    const picture = { type: 'image', mediaType: 'image/png', data: 'iVBO' } as const
    const inputId = await handOver(store, session.id, session.loopId, { text: '', blocks: [picture] })
    await recording.waitFor('InputQueued')
    const behind = session.submit('behind')
    await behind.accepted

    goOn()
    const results = await Promise.all([first.result(), behind.result()])

    expect(results.map(({ status, text }) => [status, text])).toEqual([
      ['done', 'one'],
      ['done', 'two'],
    ])
    expect(recording.events('TurnRejected')).toMatchObject([{ inputId, reason: 'input_invalid' }])
  })

  it('is rejected on an idle loop as well', async () => {
    const plain = { provider: model.provider, name: model.name }
    const { session, store, first, goOn, recording, types } = await openSteered({ loop: { model: plain } })
    goOn()
    await first.result()
    const picture = { type: 'image', mediaType: 'image/png', data: 'iVBO' } as const

    const idle = recording.waitFor('InputQueued').then(() => session.waitIdle())
    const inputId = await handOver(store, session.id, session.loopId, { text: '', blocks: [picture] })
    const rejected = await recording.waitFor('TurnRejected')
    await idle

    expect(rejected).toMatchObject({ inputId, reason: 'input_invalid' })
    expect((await types()).at(-1)).toBe('TurnRejected')
  })

  it('is never what an agent of the session sent', async () => {
    const { session, store, first, goOn, recording } = await openBusy()
    const queued = Array.from({ length: 64 }, (_, n) => session.submit(`q${n}`))
    await Promise.all(queued.map((submission) => submission.accepted))

    const machine = await handOver(store, session.id, session.loopId, { text: 'from an agent', agency: 'machine' })
    await recording.waitFor('InputQueued', 65)
    goOn('answer')
    await Promise.all([first, ...queued].map((submission) => submission.result()))
    await session.waitIdle()

    expect(recording.events('TurnRejected')).toEqual([])
    expect(recording.events('TurnStarted').at(-1)?.inputId).toBe(machine)
  })

  it('is rejected once, for whatever reason, among very many', async () => {
    const plain = { provider: model.provider, name: model.name }
    const { session, store, rig, first, goOn } = await openSteered({ loop: { model: plain } })
    goOn()
    await first.result()
    await session.shutdown()
    const picture = { type: 'image', mediaType: 'image/png', data: 'iVBO' } as const
    for (let n = 0; n < 1_100; n += 1) {
      await handOver(store, session.id, session.loopId, { text: '', blocks: [picture] })
    }
    await handOver(store, session.id, session.loopId, { text: 'of an agent', agency: 'machine' })

    await using restored = await rig.restoreSession(session.id)
    await restored.waitIdle()
    const { loops } = await rig.inspect(session.id)

    expect(restored.fault).toBeUndefined()
    expect(loops[0]?.queued).toEqual([])
    expect(JSON.stringify(restored.history())).toContain('of an agent')
  })
})
