import type { GateId, StepId } from '@looprig/core'
import { textOf } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { commandExecute, commandStartGrant } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { interactiveGate } from '../../src/index.ts'
import { eventDraft } from '../../src/journal/record-draft.ts'
import { countingIds, fakeClock, faultyStore } from '../../src/testing.ts'
import { askingTool } from '../gate/asking-tool.ts'
import { loopId, openHub } from '../hub/live-hub.ts'
import { readRecords, storeKinds, tempFolder } from '../journal/stores.ts'
import { eventsOf, readBodies } from '../restore/journal-invariants.ts'
import { calling, effectTool, openSession, resultTexts } from '../session/open-session.ts'
import { acts, durableRig } from './durable-rig.ts'

describe.each(storeKinds)('a step that cannot be committed on $name', ({ open }) => {
  it('is in no history, told to nobody, and the session takes no more (c-16)', async () => {
    const store = faultyStore(open(), (_number, { records }) =>
      records.some(({ body }) => body.includes('"StepDone"')) ? { kind: 'refused' } : undefined,
    )
    const { session, recording } = await openSession({
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', () => undefined)],
      store,
    })

    const failed = await session
      .submit('go')
      .result()
      .catch((error: unknown) => error)
    await recording.ended
    const later = await session
      .submit('more')
      .result()
      .catch((error: unknown) => error)

    expect(failed).toMatchObject({ code: 'session_faulted', reason: 'store_failed' })
    expect(later).toBe(failed)
    expect(session.history()).toHaveLength(1)
    expect(recording.events('StepDone')).toEqual([])
    expect(recording.events('TurnFailed')).toEqual([])
    expect(eventsOf(readBodies(await readRecords(store, session.id)), 'StepDone')).toEqual([])
  })
})

describe('an answer whose append stays unknown', () => {
  it.each([true, false])('faults the session and says so to who answered; written: %s (c-32)', async (written) => {
    const clock = fakeClock()
    const plain = memoryStore()
    const folder = tempFolder()
    let isLost = true
    const store = faultyStore(plain, (_number, { records }) =>
      isLost && records.some(({ id }) => /^gate\/.*\/end$/.test(id)) ? { kind: 'unknown', written } : undefined,
    )
    const effects: string[] = []
    const world = { folder, act: (value: string) => void effects.push(value) }
    const rig = durableRig(store, world, { says: [acts(['ask'])], clock })
    const session = await rig.newSession()
    const result = session
      .submit('go')
      .result()
      .catch((error: unknown) => error)
    await session.waitIdle({ orWaiting: true })
    const gateId = session.gates()[0]?.gateId as GateId

    const answered = session.answer(gateId, { action: 'approve' }).catch((error: unknown) => error)
    while (session.fault === undefined)
      await Promise.race([answered, clock.whenPending().then(() => clock.advance(500))])
    await session.shutdown()
    isLost = false
    const restored = await durableRig(plain, world, { says: [{ text: 'ok' }] }).restoreSession(session.id)
    const open = restored.gates().length
    await restored.answer(gateId, { action: 'approve' })
    await restored.waitIdle()
    const told = resultTexts(restored.history())
    await restored.shutdown()

    expect(await answered).toMatchObject({ code: 'session_faulted', reason: 'outcome_unknown' })
    expect(await result).toBe(await answered)
    // written, it began the call in the same append, so that nobody knows whether it ran; else it is still asked for
    expect(open).toBe(written ? 0 : 1)
    expect(effects).toEqual(written ? [] : ['ask'])
    expect(told).toEqual([written ? expect.stringMatching(/^outcome_unknown/) : 'acted on ask'])
  })
})

describe('an event that breaks its rules', () => {
  it('is neither journalled nor delivered (c-36)', async () => {
    const store = memoryStore()
    const { hub, log, append } = await openHub(store)
    const reader = hub.subscribe(undefined, undefined)
    const scope = { loopId, turnId: loopId as never, stepId: loopId as string as StepId }
    const bad = () => ({ records: [eventDraft({ type: 'StepDone', ...scope, messages: [] as never }, countingIds(5))] })

    await expect(log.commit(bad)).rejects.toMatchObject({
      name: 'InvalidEventError',
      event: 'StepDone',
      field: 'messages',
    })
    await append(1)

    const [session] = await store.ledger.list()
    expect(session?.tip).toBe(1)
    expect((await reader.next()).value).toMatchObject({ seq: 1, event: { type: 'SessionActive' } })
  })
})

describe('arguments that are no JSON', () => {
  it('are kept as they came in the private record of the step, and nowhere else (c-10)', async () => {
    const ran: string[] = []
    const { session, requests, store } = await openSession({
      responses: [calling({ name: 'work', rawInput: '{"value": sentinel' }, { id: 'b', name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', (value) => void ran.push(value))],
    })

    await session.submit('go').result()

    const records = readBodies(await readRecords(store, session.id))
    const steps = records.flatMap(({ kind, body }) =>
      kind === 'step' ? body.calls.map(({ argsJson }) => argsJson) : [],
    )
    expect(steps[0]).toBe('{"value": sentinel')
    expect(JSON.stringify([records.filter(({ kind }) => kind !== 'step'), requests])).not.toContain('sentinel')
    expect(requests[1]?.messages[1]?.blocks[0]).toMatchObject({ type: 'tool_use', input: {} })
    expect(ran).toEqual(['x'])
    expect(resultTexts(session.history())[0]).toMatch(/arguments are not/)
  })
})

describe('a rule that cannot be saved', () => {
  it('leads to no grant and no run (c-28)', async () => {
    const minted: unknown[] = []
    const ran: string[] = []
    const grant = { grantClass: commandStartGrant, grantTarget: 'ls' }
    const candidates = [{ kind: commandExecute, match: 'ls', description: 'run ls', ...grant }]
    const requirement = { kind: commandExecute, scope: '', match: 'ls', description: 'run ls', ...grant, candidates }
    const prepared = {
      requirements: [requirement],
      command: 'ls',
      workingDirectory: '/w',
      expiresAtMs: 1_800_000_000_000,
    }
    const source = { denies: () => undefined, allows: () => undefined }
    const writer = { writeRules: () => Promise.reject(new Error('read-only')) }
    const issuer = { issueGrant: async (binding: unknown) => `token ${minted.push(binding)}` }
    const { session } = await openSession({
      responses: [calling({ name: 'touch' }), { text: 'ok' }],
      tools: [askingTool({ prepared: () => prepared, ran: (value) => void ran.push(value) })],
      gate: interactiveGate({
        access: [{ kinds: [commandExecute], accessFor: () => 'ask' }],
        rules: { source, writer },
        issuer,
      }),
    })
    const submission = session.submit('go')
    await session.waitIdle({ orWaiting: true })
    await session.answer(session.gates()[0]?.gateId as GateId, { action: 'approve_always' })
    const { status } = await submission.result()

    expect(status).toBe('done')
    expect([minted, ran]).toEqual([[], []])
    expect(textOf(session.history()[2]?.blocks ?? [])).toMatch(/^rule_not_saved/)
  })
})

describe('a tool that throws beside others', () => {
  it('fails alone: the others have their results, and the turn goes on (c-11)', async () => {
    const tools = [effectTool('fail', () => Promise.reject(new Error('SENTINEL'))), effectTool('work', () => undefined)]
    const { session } = await openSession({
      responses: [
        calling({ id: 'a', name: 'work' }, { id: 'b', name: 'fail' }, { id: 'c', name: 'work' }),
        { text: 'ok' },
      ],
      tools,
    })

    const { status } = await session.submit('go').result()

    expect(status).toBe('done')
    expect(resultTexts(session.history())).toEqual(['work did x', 'the tool failed', 'work did x'])
  })
})
