import { describe, expect, it } from 'vitest'
import { effectTool } from '../session/open-session.ts'
import { agentIds, answers, calls, openAgents, starts } from './agent-session.ts'

describe('a question of an agent', () => {
  it('is a question of the session with the agent’s loop, and its answer lets the agent go on', async () => {
    const did: string[] = []
    const { session, recording, types } = await openAgents({
      loops: {
        main: { says: [starts('scout'), { text: 'ok' }] },
        scout: {
          says: [calls('Act', { value: 'ask' }), { text: 'acted' }],
          tools: [effectTool('Act', (value) => void did.push(value))],
        },
      },
    })
    const submission = session.submit('go')
    const { gateId } = await recording.waitFor('PermissionRequested')
    const [scout] = agentIds(session)

    expect(session.gates()).toMatchObject([{ gateId, loopId: scout }])
    expect(await session.waitIdle({ orWaiting: true })).toBe('waiting')
    await session.answer(gateId, { action: 'approve' })

    expect(await submission.result()).toMatchObject({ status: 'done', text: 'ok' })
    expect(did).toEqual(['ask'])
    expect(answers(session.history())).toMatchObject([{ response: 'acted' }])
    expect((await types('GateResolved'))[0]).toBe('scout:GateResolved')
  })

  it('that is open while the parent is interrupted is abandoned first', async () => {
    const did: string[] = []
    const { session, recording, types } = await openAgents({
      loops: {
        main: { says: [starts('scout'), { text: 'ok' }] },
        scout: { says: [calls('Act', { value: 'ask' })], tools: [effectTool('Act', (value) => void did.push(value))] },
      },
    })
    session.submit('go')
    const { gateId } = await recording.waitFor('PermissionRequested')

    await session.interrupt()

    expect(await types('GateResolved', 'TurnInterrupted')).toEqual([
      'scout:GateResolved',
      'scout:TurnInterrupted',
      'main:TurnInterrupted',
    ])
    await expect(session.answer(gateId, { action: 'approve' })).rejects.toMatchObject({ code: 'already_resolved' })
    expect(did).toEqual([])
  })

  it('does not make a session wait while another call of the parent works', async () => {
    let release: () => void = () => undefined
    const blocked = new Promise<void>((resolve) => {
      release = resolve
    })
    const { session, recording } = await openAgents({
      loops: {
        main: {
          says: [
            {
              toolCalls: [
                { id: 'a', name: 'StartAgent', input: { agent_type: 'scout', instructions: 'x' } },
                { id: 'b', name: 'Busy', input: {} },
              ],
            },
            { text: 'ok' },
          ],
          tools: [effectTool('Busy', () => blocked)],
        },
        scout: {
          says: [calls('Act', { value: 'ask' }), { text: 'acted' }],
          tools: [effectTool('Act', () => undefined)],
        },
      },
    })
    const submission = session.submit('go')
    const { gateId } = await recording.waitFor('PermissionRequested')
    let state: string | undefined
    const waiting = session.waitIdle({ orWaiting: true }).then((came) => {
      state = came
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(state).toBeUndefined()

    release()
    await waiting
    expect(state).toBe('waiting')

    await session.answer(gateId, { action: 'approve' })
    expect(await submission.result()).toMatchObject({ status: 'done' })
  })

  it('can be answered by another process', async () => {
    const did: string[] = []
    const { session, recording, rig } = await openAgents({
      loops: {
        main: { says: [starts('scout'), { text: 'ok' }] },
        scout: {
          says: [calls('Act', { value: 'ask' }), { text: 'acted' }],
          tools: [effectTool('Act', (value) => void did.push(value))],
        },
      },
    })
    const submission = session.submit('go')
    const { gateId } = await recording.waitFor('PermissionRequested')

    await rig.mailbox(session.id).answer(gateId, { action: 'approve' })

    expect(await submission.result()).toMatchObject({ status: 'done' })
    expect(did).toEqual(['ask'])
  })
})
