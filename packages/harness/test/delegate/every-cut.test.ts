import { type SessionId, type ToolExecutionId, textOf } from '@looprig/core'
import type { InferenceClient, InferenceRequest } from '@looprig/inference'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { AppendRequest, Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { defineTool, textResult } from '@looprig/tools'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../src/clock/deferred.ts'
import type { Session } from '../../src/index.ts'
import { countingIds, faultyStore, recordSession } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { readBodies } from '../restore/journal-invariants.ts'
import { requirement } from '../session/open-session.ts'
import { expectWholeSession } from './agent-invariants.ts'
import { agentRig, readJson } from './agent-session.ts'
import { storeWith } from './lost-owner.ts'

/** A model that answers by what it is shown, so that it can go on after any restore. */
function answering(
  respond: (request: InferenceRequest) => ScriptedResponse | Promise<ScriptedResponse>,
): InferenceClient {
  const stream: InferenceClient['stream'] = (request, options) => {
    const { createInferenceStream } = inference
    return createInferenceStream(async function* (signal) {
      yield* scriptedClient([await respond(request)]).stream(request, { signal })
    }, options?.signal)
  }
  return { stream, invoke: (request, options) => stream(request, options).result() }
}
const inference = await import('@looprig/inference')

const call = (id: string, name: string, input: object) => ({ id, name, input: input as never })

/** What the parent does, by how often it answered. */
function parentSays({ messages }: InferenceRequest): ScriptedResponse {
  const given = messages.filter(({ role }) => role === 'assistant').length
  const ids = messages.flatMap((message) => {
    const json = message.role === 'tool' ? readJson(textOf(message.blocks)) : undefined
    return typeof json === 'object' && json !== null && 'agent_id' in json ? [json.agent_id] : []
  })
  const start = (id: string, instructions: string, wait = true) =>
    call(id, 'StartAgent', { agent_type: 'scout', instructions, wait_for_response: wait })
  if (given === 0) {
    return { toolCalls: [start('a', 'ask'), call('n', 'Note', { what: 'p', kind: 'free' }), start('b', 'note', false)] }
  }
  const [agent] = ids
  if (given === 1 && agent !== undefined) {
    const message = (id: string, text: string, wait: boolean) =>
      call(id, 'MessageAgent', { agent_id: agent, message: text, wait_for_response: wait })
    return { toolCalls: [message('m', 'note', true), call('l', 'ListAgents', {}), start('c', 'nest')] }
  }
  if (given === 2 && agent !== undefined) {
    return {
      toolCalls: [
        call('o', 'MessageAgent', { agent_id: agent, message: 'note', wait_for_response: false }),
        call('q', 'MessageAgent', { agent_id: agent, message: 'more', wait_for_response: false }),
      ],
    }
  }
  return { text: 'Noted.' }
}

/** What an agent does, by what it was asked last. */
function agentSays({ messages }: InferenceRequest): ScriptedResponse {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const text = textOf(messages[asked]?.blocks ?? [])
  if (messages.slice(asked).some(({ role }) => role === 'assistant')) return { text: `did ${text}` }
  if (text === 'ask') return { toolCalls: [call('g', 'Note', { what: 'g', kind: 'ask' })] }
  if (text === 'note') return { toolCalls: [call('f', 'Note', { what: 'f', kind: 'free' })] }
  if (text === 'nest') return { toolCalls: [call('s', 'StartAgent', { agent_type: 'scout', instructions: 'ask' })] }
  return { text: `did ${text}` }
}

function rigOf(store: Store, seed: number, effects: ToolExecutionId[], hold: Promise<void> = Promise.resolve()) {
  const note = defineTool({
    name: 'Note',
    description: 'Note one thing.',
    inputSchema: z.strictObject({ what: z.string(), kind: z.string() }),
    prepare: ({ what, kind }) => ({
      summary: `note ${what}`,
      artifact: { what },
      requirements: [requirement(`${kind}:${what}`)],
    }),
    run: async ({ what }, { executionId }) => {
      if (what === 'p') await hold
      effects.push(executionId)
      return textResult('noted')
    },
  })
  const delegation = 'managed'
  return agentRig({
    loops: {
      main: { client: answering(parentSays), tools: [note], delegation },
      scout: { client: answering(agentSays), tools: [note], delegates: ['scout'], delegation },
    },
    store,
    ids: countingIds(seed),
  }).rig
}

async function approveAll(session: Session): Promise<void> {
  while ((await session.waitIdle({ orWaiting: true })) === 'waiting') {
    for (const { gateId } of session.gates()) await session.answer(gateId, { action: 'approve' })
  }
}

let groups: readonly AppendRequest[] = []
let sessionId: SessionId

beforeAll(async () => {
  const store = faultyStore(memoryStore(), () => undefined)
  const hold = createDeferred<void>()
  const session = await rigOf(store, 1, [], hold.promise).newSession()
  const recording = recordSession(session)
  session.submit('go')
  await recording.waitFor('PermissionRequested')
  // the parent's own effect ends while its agent waits, and long enough before to be written behind
  hold.resolve()
  await new Promise((resolve) => setTimeout(resolve, 90))
  await approveAll(session)
  await session.shutdown()
  expectWholeSession(await readRecords(store, session.id))
  groups = store.appends
  sessionId = session.id
})

describe('a session with agents whose owner is killed after any append', () => {
  it('is whole again after a restore, runs nothing twice, and a second restore adds nothing', async () => {
    expect(groups.length).toBeGreaterThan(20)
    for (let cut = 1; cut <= groups.length; cut += 1) {
      const store = await storeWith(groups.slice(0, cut), sessionId)
      const before = readBodies(await readRecords(store, sessionId))
      const effects: ToolExecutionId[] = []
      const session = await rigOf(store, 2, effects).restoreSession(sessionId)
      await approveAll(session)
      await session.shutdown()
      const after = await readRecords(store, sessionId)

      const begun = before.flatMap(({ id }) => (/^run\/[^/]+$/.test(id) ? [id.slice('run/'.length)] : []))
      expect(effects.filter((id) => begun.includes(id))).toEqual([])
      expect(new Set(effects).size).toBe(effects.length)
      expectWholeSession(after)

      const again = await rigOf(store, 3, effects).restoreSession(sessionId)
      await again.waitIdle()
      await again.shutdown()
      expect((await readRecords(store, sessionId)).length).toBe(after.length)
    }
  })

  it('is the same when the process that restores is killed as well', async () => {
    for (let cut = 3; cut <= groups.length; cut += 2) {
      const store = faultyStore(await storeWith(groups.slice(0, cut), sessionId), () => undefined)
      const session = await rigOf(store, 2, []).restoreSession(sessionId)
      await approveAll(session)
      await session.shutdown()
      const added = store.appends.filter(({ records }) => records.length > 0)
      for (let second = 1; second <= Math.min(added.length, 6); second += 1) {
        const left = await storeWith([...groups.slice(0, cut), ...added.slice(0, second)], sessionId)
        const restored = await rigOf(left, 4, []).restoreSession(sessionId)
        await approveAll(restored)
        await restored.shutdown()
        expectWholeSession(await readRecords(left, sessionId))
      }
    }
  })

  it('is whole too when it is interrupted or stopped right after the restore', async () => {
    for (let cut = 1; cut <= groups.length; cut += 1) {
      for (const end of ['interrupt', 'stop', 'shutdown'] as const) {
        const store = await storeWith(groups.slice(0, cut), sessionId)
        const session = await rigOf(store, 2, []).restoreSession(sessionId)
        await session[end]()
        if (end === 'interrupt') await approveAll(session)
        await session.shutdown()
        if (end !== 'shutdown') expectRested(readBodies(await readRecords(store, sessionId)))
        else {
          const again = await rigOf(store, 3, []).restoreSession(sessionId)
          await approveAll(again)
          await again.shutdown()
          expectWholeSession(await readRecords(store, sessionId))
        }
      }
    }
  })
})

/** Every turn, step and gate has ended. */
function expectRested(records: ReturnType<typeof readBodies>): void {
  const ids = new Set(records.map(({ id }) => id))
  const open = records.filter(({ id, kind, body }) => {
    if (kind === 'step' || (kind === 'event' && body.type === 'PermissionRequested')) return !ids.has(`${id}/end`)
    return kind === 'event' && body.type === 'TurnStarted' && !ids.has(`turn/${body.turnId}/end`)
  })
  expect(open.map(({ id }) => id)).toEqual([])
}
