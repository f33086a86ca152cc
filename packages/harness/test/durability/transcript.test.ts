import { type AIMessage, textOf } from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import { memoryStore } from '@looprig/store/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { defineLoop, defineRig, headlessGate } from '../../src/index.ts'
import { countingIds, faultyStore, strictClient } from '../../src/testing.ts'
import {
  contextClient,
  model as contextModel,
  long,
  openContextSession,
  policy,
  workTool,
} from '../context/context-session.ts'
import { storeWith } from '../delegate/lost-owner.ts'
import { readRecords, storeKinds, tempFolder } from '../journal/stores.ts'
import { eventsOf, expectWhole, nameOf, readBodies } from '../restore/journal-invariants.ts'
import {
  allowing,
  answersOf,
  callEvents,
  effectTool,
  model,
  resultsOf,
  streamingClient,
  textEvents,
} from '../session/open-session.ts'
import { crashedSession } from './after-crash.ts'
import { acts, saidIn } from './durable-rig.ts'
import { bundleOwner } from './owner-child.ts'

let script = ''
beforeAll(async () => {
  script = await bundleOwner(tempFolder())
})

describe('an owner that is killed after the second step of its turn', () => {
  it('leaves both steps, one interrupted turn, and a session that counts on from there (c-38, B1)', async () => {
    const at = { holding: ['"StepDone"', 'acted on b'], do: 'kill after' } as const
    const crashed = await crashedSession(script, { says: [acts(['a']), acts(['b']), acts(['c'])], at })

    const first = await crashed.restore()
    const history = first.session.history()
    await first.session.shutdown()
    const repaired = await crashed.records()
    const { session, requests } = await crashed.restore({ says: [{ text: 'ok' }] })
    const again = session.history()
    const { status } = await session.submit('and now?').result()

    expect(crashed.ended).toBe('SIGKILL')
    expect(history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
    expect(repaired.slice(crashed.before.length).map(nameOf)).toEqual(['TurnInterrupted', 'LoopIdle', 'SessionIdle'])
    expect(JSON.stringify(again)).toBe(JSON.stringify(history))
    expect(status).toBe('done')
    expect(requests.map(saidIn)).toEqual([['go', 'and now?']])
    expect(eventsOf(await crashed.records(), 'TurnStarted').map(({ turnIndex }) => turnIndex)).toEqual([1, 2])
    expectWhole(await crashed.records())
  })
})

describe('a journal whose last call has no result', () => {
  it('is closed before it is compacted, and no request has half of an exchange (B2)', async () => {
    const store = faultyStore(memoryStore(), () => undefined)
    const { session, turn, recording } = await openContextSession({
      answers: [{ text: 'so' }, { text: 'so' }, { calls: ['1'] }],
      tools: [workTool(() => new Promise(() => undefined))],
      drainTimeoutMs: 0,
      store,
    })
    await turn(long('a'))
    await turn('b')
    session.submit('c')
    await recording.waitFor('ToolCallStarted')
    const left = await storeWith(store.appends, session.id)
    const requests: InferenceRequest[] = []
    const client = contextClient([{ text: 'so' }])
    const stream: typeof client.stream = (request, options) => {
      requests.push(request)
      return client.stream(request, options)
    }
    const loop = defineLoop({
      name: 'main',
      client: strictClient({ ...client, stream }),
      model: contextModel,
      gate: headlessGate({ access: [allowing('allow')] }),
      tools: [workTool()],
      context: policy,
    })
    const restored = await defineRig({ loops: [loop], store: left, ids: countingIds(2) }).restoreSession(session.id)

    const compacted = await restored.compact()
    const { status } = await restored.submit('d').result()
    await restored.shutdown()

    expect([compacted.status, status]).toEqual(['committed', 'done'])
    const [, ...messages] = requests.at(-1)?.messages ?? []
    const calls = messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
    )
    expect(resultsOf(messages).map(({ toolUseId }) => toolUseId)).toEqual(calls)
    expect(calls).toHaveLength(1)
  })
})

describe.each(storeKinds)('thinking between calls on $name', ({ open }) => {
  it('comes back to the model block for block, also after a restore (B11)', async () => {
    const requests: InferenceRequest[] = []
    const play = streamingClient(async function* (n) {
      if (n > 1) yield* textEvents('ok')
      else {
        yield { type: 'block_start', blockIndex: 0, block: { type: 'thinking' } }
        yield { type: 'thinking_delta', blockIndex: 0, text: '  first \u2028 ' }
        yield { type: 'block_state', blockIndex: 0, seal: { format: 'f', signature: 's1==' } }
        yield { type: 'block_end', blockIndex: 0 }
        yield* callEvents('a', 'work', '{"value":"a"}', 1)
        yield { type: 'block_start', blockIndex: 2, block: { type: 'thinking' } }
        yield { type: 'block_state', blockIndex: 2, state: { format: 'redacted', data: 'opaque' } }
        yield { type: 'block_end', blockIndex: 2 }
        yield* callEvents('b', 'work', '{"value":"b"}', 3)
      }
      yield { type: 'finish', reason: n > 1 ? 'stop' : 'tool_use' }
    })
    const stream: typeof play.stream = (request, options) => {
      requests.push(request)
      return play.stream(request, options)
    }
    const store = open()
    const rigOf = (seed: number) => {
      const client = strictClient({ ...play, stream }, { refuseUnsignedThinking: true })
      const gate = headlessGate({ access: [allowing('allow')] })
      const loop = defineLoop({ name: 'main', model, client, gate, tools: [effectTool('work', () => undefined)] })
      return defineRig({ loops: [loop], store, ids: countingIds(seed) })
    }
    const session = await rigOf(1).newSession()
    await session.submit('go').result()
    await session.shutdown()
    const restored = await rigOf(2).restoreSession(session.id)
    await restored.submit('and now?').result()
    await restored.shutdown()

    const sent = requests.slice(1).map(({ messages }) => JSON.stringify(answersOf(messages)[0]?.blocks))
    const [stored] = eventsOf(readBodies(await readRecords(store, session.id)), 'StepDone')
    const [answer] = (stored?.messages ?? []) as readonly [AIMessage]
    expect(answer?.blocks).toEqual([
      { type: 'thinking', text: '  first \u2028 ', seal: { format: 'f', signature: 's1==' } },
      { type: 'tool_use', id: 'a', name: 'work', input: { value: 'a' } },
      { type: 'thinking', text: '', state: { format: 'redacted', data: 'opaque' } },
      { type: 'tool_use', id: 'b', name: 'work', input: { value: 'b' } },
    ])
    expect(sent).toEqual(Array(2).fill(JSON.stringify(answer?.blocks)))
    expect(textOf(restored.history().at(-1)?.blocks ?? [])).toBe('ok')
  })
})
