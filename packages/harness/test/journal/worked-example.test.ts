import { textBlock } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { type AccessSource, defineTool, readRequirement, textResult, writeRequirement } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineLoop, defineRig, interactiveGate } from '../../src/index.ts'
import { countingIds, faultyStore, strictClient } from '../../src/testing.ts'
import { readRecords, type StoreKind, storeKinds } from './stores.ts'

const id = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

const access: AccessSource = { kinds: ['filesystem.read', 'filesystem.write'], accessFor: () => 'allow' }

const readFile = defineTool({
  name: 'ReadFile',
  description: 'Read a file.',
  replaySafe: true,
  inputSchema: z.strictObject({ path: z.string() }),
  prepare: ({ path }) => ({ summary: `read ${path}`, artifact: { path }, requirements: [readRequirement(path)] }),
  run: ({ path }) => textResult(`1: export const x = '${path}'`),
})

const writeFile = defineTool({
  name: 'WriteFile',
  description: 'Write a file.',
  inputSchema: z.strictObject({ path: z.string() }),
  prepare: ({ path }) => ({ summary: `write ${path}`, artifact: { path }, requirements: [writeRequirement(path)] }),
  run: ({ path }) => textResult(`wrote ${path}`),
})

const usage = { inputTokens: 1, outputTokens: 0 }

function rigOf(store: Store, tool: typeof readFile, seed: number) {
  const client = scriptedClient([
    { toolCalls: [{ id: 'c1', name: tool.name, input: { path: 'x.ts' } }] },
    { text: 'In x.ts.' },
  ])
  const coder = defineLoop({
    name: 'coder',
    client: strictClient(client),
    model: { provider: 'scripted', name: 'm' },
    tools: [tool],
    gate: interactiveGate({ access: [access] }),
  })
  return defineRig({ name: 'example', loops: [coder], store, ids: countingIds(seed) })
}

/** Runs one turn with one call of a tool, and gives the journal as `[seq, kind, id, body]`, by append. */
async function runExample(kind: StoreKind, tool: typeof readFile) {
  const store = faultyStore(kind.open(), () => undefined)
  const rig = rigOf(store, tool, 0)
  const session = await rig.newSession()
  await session.submit('Where is X?').result()
  await session.waitIdle()
  const history = session.history()
  await session.shutdown()
  const records = await readRecords(store, session.id)
  const groups = store.appends.map((append) => append.records.length)
  return { rig, session, history, store, records, groups }
}

// the order in which the ids of one such turn are made
const [loopId, inputId, turnId, stepId, callId] = [id(2), id(3), id(4), id(6), id(7)]

const question = { role: 'user', blocks: [textBlock('Where is X?')] }

function asked(name: string) {
  const blocks = [{ type: 'tool_use', id: 'c1', name, input: { path: 'x.ts' } }]
  return { role: 'assistant', blocks, usage, model: 'scripted' }
}

function started(name: string) {
  const tools = [{ name, schemaDigest: expect.stringMatching(/^[0-9a-f]{64}$/) }]
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  const limits = [
    { name: 'iterations', value: 25 },
    { name: 'calls', value: 100 },
    { name: 'parallel', value: 8 },
    { name: 'resultBytes', value: 524_288 },
    { name: 'drainTimeoutMs', value: 5_000 },
  ]
  const gate = { posture: 'interactive' }
  const loops = [{ name: 'coder', model: 'scripted/m', systemDigest: empty, tools, limits, gate }]
  return [
    [1, 'event', 'session', { v: 1, type: 'SessionStarted', config: { rig: 'example', workspace: '', loops } }],
    [2, 'event', `loop/${loopId}`, { v: 1, type: 'LoopStarted', loopId, name: 'coder' }],
    [3, 'input', `in/${inputId}`, { v: 1, loopId, agency: 'user', blocks: question.blocks }],
    [
      4,
      'event',
      `in/${inputId}/end`,
      { v: 1, type: 'TurnStarted', loopId, turnId, inputId, turnIndex: 1, message: question },
    ],
    [5, 'event', id(5), { v: 1, type: 'SessionActive' }],
  ]
}

function answered(first: number, uuid: number) {
  const step = id(uuid)
  const answer = { role: 'assistant', blocks: [textBlock('In x.ts.')], usage: { ...usage, outputTokens: 2 } }
  const messages = [{ ...answer, model: 'scripted' }]
  const total = { inputTokens: 2, outputTokens: 2 }
  return [
    [first, 'event', `step/${step}/end`, { v: 1, type: 'StepDone', loopId, turnId, stepId: step, messages }],
    [
      first + 1,
      'event',
      `turn/${turnId}/end`,
      { v: 1, type: 'TurnDone', loopId, turnId, inputId, turnIndex: 1, usage: total },
    ],
    [first + 2, 'event', id(uuid + 1), { v: 1, type: 'LoopIdle', loopId }],
    [first + 3, 'event', id(uuid + 2), { v: 1, type: 'SessionIdle' }],
  ]
}

function decided(seq: number, subject: string) {
  const decision = { effect: 'approve', reason: 'access_evaluated', subject }
  return [
    seq,
    'event',
    id(8),
    { v: 1, type: 'PermissionDecided', loopId, turnId, stepId, toolExecutionId: callId, ...decision },
  ]
}

function stepDone(seq: number, name: string, text: string) {
  const result = { role: 'tool', toolUseId: 'c1', isError: false, blocks: [textBlock(text)] }
  const messages = [asked(name), result]
  return [seq, 'event', `step/${stepId}/end`, { v: 1, type: 'StepDone', loopId, turnId, stepId, messages }]
}

describe.each(storeKinds)('the journal of one turn on $name', (kind) => {
  it('is the worked example, record by record', async () => {
    const { records, groups } = await runExample(kind, readFile)

    const journal = records.map((record) => [record.seq, record.kind, record.id, JSON.parse(record.body)])
    expect(journal).toEqual([
      ...started('ReadFile'),
      decided(6, 'ReadFile'),
      stepDone(7, 'ReadFile', "1: export const x = 'x.ts'"),
      ...answered(8, 9),
    ])
    expect(groups).toEqual([2, 3, 2, 4])
  })

  it('has the step and the start of an effectful call before the effect', async () => {
    const { records, groups } = await runExample(kind, writeFile)

    const journal = records.map((record) => [record.seq, record.kind, record.id, JSON.parse(record.body)])
    const call = {
      executionId: callId,
      toolUseId: 'c1',
      name: 'WriteFile',
      argsJson: '{"path":"x.ts"}',
      replaySafe: false,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    }
    const step = { v: 1, loopId, turnId, stepId, message: asked('WriteFile'), calls: [call] }
    expect(journal).toEqual([
      ...started('WriteFile'),
      [6, 'step', `step/${stepId}`, step],
      [7, 'run', `run/${callId}`, { v: 1, loopId, turnId, stepId, executionId: callId }],
      decided(8, 'WriteFile'),
      stepDone(9, 'WriteFile', 'wrote x.ts'),
      ...answered(10, 9),
    ])
    expect(groups).toEqual([2, 3, 3, 1, 4])
  })

  it('restores to the same history without a further record', async () => {
    const { rig, session, history, store, records } = await runExample(kind, writeFile)

    const restored = await rig.restoreSession(session.id)

    expect(restored.history()).toEqual(history)
    expect(restored.history().map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(restored.fault).toBeUndefined()
    await restored.shutdown()
    expect(await readRecords(store, session.id)).toEqual(records)
  })

  it.each([
    ['between the steps', readFile, 7, []],
    ['in the effect', writeFile, 8, [{ id: `step/${stepId}/end`, text: /^outcome_unknown: / }]],
  ] as const)('is closed in one append when its owner is killed %s', async (_, tool, tip, closed) => {
    const { session, store } = await runExample(kind, tool)
    const cut = faultyStore(kind.open(), () => undefined)
    const lease = await cut.leases.acquire(session.id)
    for (const { records, head } of store.appends.slice(0, 3)) {
      await cut.ledger.append({ session: session.id, epoch: lease.epoch, records, head })
    }
    await lease.release()

    await (await rigOf(cut, tool, 1).restoreSession(session.id)).shutdown()

    const added = (await readRecords(cut, session.id)).slice(tip)
    const bodies = added.map((record) => JSON.parse(record.body))
    expect(added.slice(0, -2).map((record) => record.id)).toEqual([...closed.map(({ id }) => id), `turn/${turnId}/end`])
    expect(bodies.map((body) => body.type)).toEqual([
      ...closed.map(() => 'StepDone'),
      ...['TurnInterrupted', 'LoopIdle', 'SessionIdle'],
    ])
    for (const [index, end] of closed.entries()) expect(bodies[index].messages[1].blocks[0].text).toMatch(end.text)
    expect(cut.appends).toHaveLength(4)
  })
})
