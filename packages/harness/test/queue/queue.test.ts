import { describe, expect, it } from 'vitest'
import { delivered } from '../session/open-session.ts'
import { openBusy } from './busy-session.ts'

describe('the queue of a loop', () => {
  it('gives each input a turn of its own, in order', async () => {
    const { session, first, goOn, recording, requests } = await openBusy()
    const queued = ['a', 'b', 'c'].map((text) => session.submit(text))

    goOn('answer')
    const results = await Promise.all([first, ...queued].map((submission) => submission.result()))
    await delivered()

    expect(results.map((result) => result.text)).toEqual(['answer 1', 'answer 2', 'answer 3', 'answer 4'])
    expect(recording.events('TurnStarted').map((event) => event.inputId)).toEqual(
      [first, ...queued].map((submission) => submission.inputId),
    )
    expect(requests.map((request) => request.messages.length)).toEqual([1, 3, 5, 7])
  })

  it('tells that an input waits, and starts it without an idle moment between', async () => {
    const { session, first, goOn, types, recording } = await openBusy()
    const second = session.submit('second')
    await second.accepted
    await delivered()
    const queued = recording.events('InputQueued').map((event) => event.inputId)

    goOn('answer')
    await Promise.all([first.result(), second.result()])

    expect(queued).toEqual([second.inputId])
    expect(await types('TokenDelta', 'InputQueued')).toEqual([
      ...['TurnStarted', 'SessionActive', 'StepDone', 'TurnDone'],
      ...['TurnStarted', 'StepDone', 'TurnDone', 'LoopIdle', 'SessionIdle'],
    ])
  })

  it('holds 64 inputs and refuses the next, with nothing written', async () => {
    const { session, store, goOn, first } = await openBusy()
    const queued = Array.from({ length: 64 }, (_, n) => session.submit(`q${n}`))
    await Promise.all(queued.map((submission) => submission.accepted))
    const before = await store.ledger.find(session.id)

    const over = session.submit('one too many')
    const refused = await over.accepted.catch((error: unknown) => error)
    const after = await store.ledger.find(session.id)
    goOn('answer')
    await Promise.all([first, ...queued].map((submission) => submission.result()))

    expect(refused).toMatchObject({ name: 'SessionError', code: 'queue_full' })
    expect(await over.result()).toMatchObject({ status: 'rejected', text: '', error: { code: 'queue_full' } })
    expect(after?.tip).toBe(before?.tip)
    expect(session.history()).toHaveLength(130)
  })

  it('takes a refused input again under its id when there is room', async () => {
    const { session, goOn, first } = await openBusy()
    const queued = Array.from({ length: 64 }, (_, n) => session.submit(`q${n}`))
    const over = session.submit('again')
    await over.result()
    goOn('answer')
    await Promise.all([first, ...queued].map((submission) => submission.result()))

    const again = await session.submit('again', { inputId: over.inputId }).result()

    expect(again).toMatchObject({ status: 'done', inputId: over.inputId })
  })

  it('cancels what waits when the turn fails, and says what it was', async () => {
    const { session, goOn, first, recording, types } = await openBusy()
    const queued = ['a', 'b'].map((text) => session.submit(text))
    await Promise.all(queued.map((submission) => submission.accepted))

    goOn('fail')
    const results = await Promise.all([first, ...queued].map((submission) => submission.result()))

    expect(results.map((result) => result.status)).toEqual(['failed', 'cancelled', 'cancelled'])
    expect((await types()).slice(-5)).toEqual([
      ...['TurnFailed', 'InputCancelled', 'InputCancelled', 'LoopIdle', 'SessionIdle'],
    ])
    expect(recording.events('InputCancelled')).toMatchObject([
      { inputId: queued[0]?.inputId, reason: 'turn_failed', message: { blocks: [{ type: 'text', text: 'a' }] } },
      { inputId: queued[1]?.inputId, reason: 'turn_failed', message: { blocks: [{ type: 'text', text: 'b' }] } },
    ])
  })

  it('never shows a cancelled input to the model', async () => {
    const { session, goOn, requests } = await openBusy()
    const cancelled = session.submit('sentinel')
    await cancelled.accepted
    goOn('fail')
    await cancelled.result()

    await session.submit('next').result()

    expect(JSON.stringify(requests)).not.toContain('sentinel')
  })
})
