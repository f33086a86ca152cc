import { describe, expect, it } from 'vitest'
import { interactiveGate } from '../../src/index.ts'
import { answerGates } from '../../src/testing.ts'
import { allowing, calling, effectTool, openSession, resultTexts } from '../session/open-session.ts'

const twoCalls = calling(
  { id: 'c1', name: 'Touch', input: { value: 'a' } },
  { id: 'c2', name: 'Touch', input: { value: 'b' } },
)

function openAsking(effects: string[] = []) {
  return openSession({
    responses: [twoCalls, { text: 'Done.' }],
    tools: [effectTool('Touch', (value) => void effects.push(value))],
    gate: interactiveGate({ access: [allowing('ask')] }),
  })
}

describe('answerGates', () => {
  it('answers each gate as a person would, the oldest first', async () => {
    const effects: string[] = []
    const { session } = await openAsking(effects)
    const answerer = answerGates(session, (gate) => {
      const isFirst = gate.kind === 'permission' && gate.request.summary.endsWith('a')
      return { action: isFirst ? 'approve' : 'deny' }
    })

    await session.submit('go').result()

    expect(effects).toEqual(['a'])
    expect(answerer.answered.map(({ answer }) => answer)).toEqual([{ action: 'approve' }, { action: 'deny' }])
    expect(resultTexts(session.history())[1]).toContain('permission denied')
  })

  it('answers what was open before it came', async () => {
    const effects: string[] = []
    const { session } = await openAsking(effects)
    const submission = session.submit('go')
    await session.waitIdle({ orWaiting: true })

    answerGates(session, () => ({ action: 'approve' }))

    expect(await submission.result()).toMatchObject({ status: 'done' })
    expect(effects).toEqual(['a', 'b'])
  })

  it('leaves to others what it has no answer for, and ends when it is closed', async () => {
    const { session } = await openAsking()
    const answerer = answerGates(session, () => undefined)
    session.submit('go')
    await session.waitIdle({ orWaiting: true })

    answerer.close()
    await answerer.ended

    expect(session.gates()).toHaveLength(2)
    expect(answerer.answered).toEqual([])
  })

  it('ends with its session', async () => {
    const { session } = await openAsking()
    const answerer = answerGates(session, () => ({ action: 'approve' }))

    await session.shutdown()

    await expect(answerer.ended).resolves.toBeUndefined()
  })
})
