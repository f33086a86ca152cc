/** What a session keeps in memory does not grow with its length. */
import type { GateId, InputId, StepId, ToolExecutionId, TurnId } from '@looprig/core'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { GateDirectory } from '../../src/gate/gate-directory.ts'
import {
  DefinitionError,
  defineLoop,
  defineRig,
  GateError,
  type GateResolved,
  interactiveGate,
  type OpenPermission,
} from '../../src/index.ts'
import { InputMemory } from '../../src/session/input-memory.ts'
import { InputTracker } from '../../src/session/input-tracker.ts'
import { countingIds, recordSession } from '../../src/testing.ts'
import { permissions } from '../gate/open-gates.ts'
import { readRecords } from '../journal/stores.ts'
import { allowing, effectTool, model, openSession, streamingClient, textEvents } from './open-session.ts'

const id = (n: number) => `00000000-0000-7000-b000-${String(n).padStart(12, '0')}`
const inputId = (n: number) => id(n) as InputId

/** A model that says which answer of its it is, without end. */
const counting = () =>
  streamingClient(async function* (n) {
    yield* textEvents(`answer ${n}`)
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  })

async function longSession(turns: number) {
  const opened = await openSession({ client: counting() })
  for (let n = 1; n <= turns; n += 1) {
    await opened.session.submit(`input ${n}`, { inputId: inputId(n) }).result()
  }
  return opened
}

describe('an input that a long session has forgotten', () => {
  it('is accepted once: handed over again it has the outcome that it had, and nothing is written', async () => {
    const { session, store } = await longSession(300)
    const before = await readRecords(store, session.id)

    const again = session.submit('input 1', { inputId: inputId(1) })

    await expect(again.accepted).resolves.toBeUndefined()
    expect(await again.result()).toMatchObject({ status: 'done', text: 'answer 1' })
    expect(await readRecords(store, session.id)).toEqual(before)
    expect(session.fault).toBeUndefined()
  })

  it('is a conflict with another content, and the session goes on', async () => {
    const { session } = await longSession(300)

    const other = session.submit('something else', { inputId: inputId(2) })

    await expect(other.accepted).rejects.toMatchObject({ code: 'input_conflict' })
    expect((await other.result()).status).toBe('rejected')
    expect((await session.submit('next').result()).text).toBe('answer 301')
  })

  it('is known again after a restore, as one that was kept is', async () => {
    const { session, rig } = await longSession(300)
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)

    for (const n of [1, 300]) {
      const again = restored.submit(`input ${n}`, { inputId: inputId(n) })
      expect((await again.result()).text).toBe(`answer ${n}`)
    }
  })

  it('waits in the queue of a busy loop without being taken for another', async () => {
    const { session } = await longSession(260)
    const running = session.submit('one more')

    const again = session.submit('input 1', { inputId: inputId(1) })

    expect((await again.result()).text).toBe('answer 1')
    expect((await running.result()).text).toBe('answer 261')
  })
})

describe('InputMemory', () => {
  it('keeps what has no outcome, and the last 256 of the others', () => {
    const memory = new InputMemory([])
    const open = new InputTracker(inputId(0), '')
    memory.add(open)
    for (let n = 1; n <= 1_000; n += 1) {
      const tracker = new InputTracker(inputId(n), '')
      memory.add(tracker)
      tracker.settle({ status: 'done', inputId: inputId(n), text: '', usage: {} })
      memory.settled(tracker)
    }

    expect(memory.all()).toHaveLength(257)
    expect(memory.find(inputId(0))).toBe(open)
    expect(memory.find(inputId(744))).toBeUndefined()
    expect(memory.find(inputId(745))).toBeDefined()
  })

  it('forgets no other input that took the id of one that goes', () => {
    const [first, second] = [new InputTracker(inputId(1), 'a'), new InputTracker(inputId(1), 'b')]
    const memory = new InputMemory([first])
    memory.add(second)

    memory.remove(first)

    expect(memory.find(inputId(1))).toBe(second)
  })
})

describe('a gate that a long session has forgotten', () => {
  it('takes an equal answer again and no other, by the journal', async () => {
    const [calls, rounds] = [100, 3]
    const loop = defineLoop({
      name: 'main',
      client: scripted(calls, rounds),
      model,
      tools: [effectTool('act', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
      limits: { calls: 400 },
    })
    const rig = defineRig({ loops: [loop], store: memoryStore(), ids: countingIds() })
    await using session = await rig.newSession()
    const recording = recordSession(session, { filter: { types: ['PermissionRequested'] } })
    const turn = session.submit('go')
    const gates: OpenPermission[] = []
    for (let round = 1; round <= rounds; round += 1) {
      await recording.waitFor('PermissionRequested', round * calls)
      const open = permissions(session)
      gates.push(...open)
      for (const { gateId } of open) await session.answer(gateId, { action: 'deny' })
    }
    await turn.result()
    const [first] = gates
    const gateId = first?.gateId as GateId

    await expect(session.answer(gateId, { action: 'deny' })).resolves.toBeUndefined()
    await expect(session.answer(gateId, { action: 'approve' })).rejects.toMatchObject({ code: 'already_resolved' })
    await expect(session.answer(id(9) as GateId, { action: 'deny' })).rejects.toMatchObject({ code: 'gate_not_found' })
    expect(session.fault).toBeUndefined()
  })

  it('is not in memory', () => {
    const gates = new GateDirectory([], async () => 0)
    const scope = { loopId: id(1) as never, turnId: id(2) as TurnId, stepId: id(3) as StepId }
    const resolved = (n: number): GateResolved => ({
      type: 'GateResolved',
      ...scope,
      gateId: id(n) as GateId,
      toolExecutionId: id(4) as ToolExecutionId,
      reason: 'answered',
      action: 'deny',
    })
    for (let n = 10; n < 300; n += 1) gates.resolve(resolved(n))

    expect(gates.mayHaveForgotten(id(10) as GateId)).toBe(true)
    expect(gates.mayHaveForgotten(id(299) as GateId)).toBe(false)
    expect(() => gates.answer(id(10) as GateId, { action: 'deny' }, countingIds(), false)).toThrow(GateError)
  })
})

describe('the most gates of a session', () => {
  it('are what the rig says', async () => {
    const loop = defineLoop({
      name: 'main',
      client: scripted(3),
      model,
      tools: [effectTool('act', () => undefined)],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const rig = defineRig({ loops: [loop], store: memoryStore(), maxOpenGates: 2 })
    await using session = await rig.newSession()
    const recording = recordSession(session)
    session.submit('go')
    await recording.waitFor('PermissionRequested', 2)

    expect(session.gates()).toHaveLength(2)
    expect(recording.events('PermissionDecided')).toMatchObject([{ reason: 'gate_capacity' }])
  })

  it.each([0, 1.5, 1_025, '2'])('cannot be %j', (maxOpenGates) => {
    const loop = defineLoop({ name: 'main', client: counting(), model })
    const define = () => defineRig({ loops: [loop], store: memoryStore(), maxOpenGates: maxOpenGates as number })

    expect(define).toThrow(DefinitionError)
    expect(define).toThrow(/^maxOpenGates/)
  })
})

/** A model that makes so many calls in each of its first responses, then ends. */
function scripted(calls: number, rounds = 1) {
  return streamingClient(async function* (n) {
    if (n > rounds) yield* textEvents('ok')
    else {
      for (let index = 0; index < calls; index += 1) {
        yield { type: 'block_start', blockIndex: index, block: { type: 'tool_use', id: `c${index}`, name: 'act' } }
        yield { type: 'tool_input_delta', blockIndex: index, text: '{}' }
        yield { type: 'block_end', blockIndex: index }
      }
    }
    yield { type: 'finish', reason: n > rounds ? 'stop' : 'tool_use', usage: { inputTokens: 1, outputTokens: 1 } }
  })
}
