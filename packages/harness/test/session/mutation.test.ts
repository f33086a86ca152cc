import type { Block, InputId } from '@looprig/core'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  adoptAll,
  defineHooks,
  defineLoop,
  defineRig,
  type EventFilter,
  type Gate,
  type GateAction,
  type HookOperation,
  interactiveGate,
  type LoopOptions,
} from '../../src/index.ts'
import { recordSession, strictClient } from '../../src/testing.ts'
import { askingTool } from '../gate/asking-tool.ts'
import { RuleBook } from '../gate/rule-book.ts'
import { assessmentOf, loop, parkedSession, rigOf } from '../rig/drift-rig.ts'
import { allowing, calling, effectTool, model, openSession, requirement } from './open-session.ts'

type Opened = Awaited<ReturnType<typeof openSession>>

/** Tries to change everything that can be reached from a value; tells whether it could. */
function vandalize(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value) || value instanceof AbortSignal) return false
  seen.add(value)
  let changed = Reflect.set(value, 'forged', 'sentinel')
  for (const key of Reflect.ownKeys(value)) {
    changed = vandalize(Reflect.get(value, key), seen) || changed
    changed = Reflect.set(value, key, key === 'length' ? 0 : 'sentinel') || changed
    changed = Reflect.deleteProperty(value, key) || changed
  }
  return changed
}

const responses = [
  { thinking: 'hm', text: 'I look', toolCalls: [{ id: 'c1', name: 'look', input: { at: ['a', 'b'] } }] },
  { text: 'seen' },
  { text: 'again' },
]

/** A session of two turns. `meddle` is called between them, `onInput` with what the tool's functions were given. */
async function twoTurns(meddle: (opened: Opened) => void, onInput: (value: unknown) => void = () => undefined) {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: z.strictObject({ at: z.array(z.string()) }),
    prepare: ({ at }) => ({ summary: 'look', artifact: { at: [...at] }, requirements: [] }),
    run: (artifact) => {
      const result = textResult(`saw ${artifact.at.join()}`)
      onInput(artifact)
      return result
    },
  })
  const opened = await openSession({ responses, tools: [look] })
  await opened.session.submit('first').result()
  await opened.recording.waitFor('SessionIdle')
  meddle(opened)
  await opened.session.submit('second').result()
  return JSON.stringify(opened.requests)
}

describe('what a consumer is given', () => {
  it.each<[string, (opened: Opened) => readonly unknown[]]>([
    ['deliveries', ({ recording }) => recording.deliveries],
    ['history', ({ session }) => [session.history()]],
    [
      'requests of the client',
      ({ requests }) => requests.flatMap(({ messages, tools, model }) => [messages, tools, model]),
    ],
  ])('cannot be changed: %s', async (_name, reach) => {
    const untouched = await twoTurns(() => undefined)
    let changed: boolean | undefined

    const requests = await twoTurns((opened) => {
      changed = reach(opened).some((value) => vandalize(value))
    })

    expect(changed).toBe(false)
    expect(requests).toBe(untouched)
  })

  it('cannot be changed: the artifact that a tool runs on', async () => {
    const untouched = await twoTurns(() => undefined)
    let changed: boolean | undefined

    const requests = await twoTurns(
      () => undefined,
      (artifact) => (changed = vandalize(artifact)),
    )

    expect(changed).toBe(false)
    expect(requests).toBe(untouched)
  })

  it('cannot be changed: the result of a turn', async () => {
    const { session } = await openSession({ responses })
    const submission = session.submit('Hi')
    const result = await submission.result()
    const before = JSON.stringify(result)

    const changed = vandalize(result)

    expect(changed).toBe(false)
    expect(JSON.stringify(await submission.result())).toBe(before)
  })

  it('shares nothing with what a tool returned and changes later', async () => {
    let returned: { content: { text: string }[] } | undefined
    const sly = defineTool({
      name: 'sly',
      description: 'Changes its mind.',
      pure: true,
      inputSchema: z.strictObject({}),
      run: () => {
        const result = { content: [{ type: 'text' as const, text: 'first' }], isError: false }
        returned = result
        return result
      },
    })
    const { session, requests } = await openSession({
      responses: [calling({ name: 'sly' }), { text: 'ok' }, { text: 'ok' }],
      tools: [sly],
    })
    await session.submit('1').result()

    if (returned?.content[0] !== undefined) returned.content[0].text = 'forged'
    await session.submit('2').result()

    expect(JSON.stringify(requests)).not.toContain('forged')
  })
})

/** Gives what a consumer is given of one kind, and tells whether it could be changed. */
interface Vandal {
  give(kind: string, value: unknown): void
}

const operations: readonly HookOperation[] = [
  ...(['turn', 'step', 'inference', 'compaction', 'tool_call', 'gate_wait', 'tool_execution'] as const),
]

/** A session with everything that hands out values: two turns, an approval, a compaction. Gives its requests. */
async function giveEverything({ give }: Vandal) {
  const book = new RuleBook()
  const asked = interactiveGate({ access: [allowing('ask')], rules: { source: book, writer: book } })
  const gate: Gate = {
    ...asked,
    evaluate: (request) => {
      give('requests of the gate', request)
      return asked.evaluate(request)
    },
    saveRules: async (candidates) => {
      give('candidates of rules', candidates)
      await asked.saveRules?.(candidates)
    },
  }
  const around = operations.map((operation) => ({
    operation,
    begin: (subject: unknown) => {
      give(`subjects of hooks: ${operation}`, subject)
      return undefined
    },
  }))
  const check = (subject: unknown) => {
    give('subjects of guards', subject)
    return undefined
  }
  const opened = await openSession({
    responses: [
      calling({ id: 'c1', name: 'touch', input: { value: 'a' } }),
      { text: 'long '.repeat(200) },
      { text: 'again' },
    ],
    tools: [askingTool({ prepared: () => ({ preview: { kind: 'diff', text: '+a' } }) })],
    gate,
    hooks: defineHooks({ policyRevision: '1', around, guards: [{ operation: 'tool_call', check }] }),
    loop: {
      context: { keepRecentSegments: 1 },
      runtimeContext: (info) => {
        give('the turn of a runtime context', info)
        return 'It is Monday.'
      },
      middlewares: [
        (call, next) => {
          give('calls of middlewares', call)
          return next()
        },
      ],
    },
  })
  const { session, rig, requests } = opened
  const first = session.submit('first')
  await session.waitIdle({ orWaiting: true })
  const [open] = session.gates()
  give('open gates', session.gates())
  give('inspections of an open turn', await rig.inspect(session.id))
  if (open !== undefined) await session.answer(open.gateId, { action: 'approve_always' as GateAction })
  give('results', await first.result())
  give('loops', session.loops)
  give('the model', session.model)
  give('lists', await rig.sessions())
  await session.submit('second').result()
  give('results of compactions', await session.compact())
  give('inspections', await rig.inspect(session.id))
  await session.submit('third').result()
  return JSON.stringify(requests)
}

describe('what a consumer is given, whoever it is', () => {
  it.each([
    ...operations
      .filter((operation) => operation !== 'compaction')
      .map((operation) => `subjects of hooks: ${operation}`),
    ...['subjects of hooks: compaction', 'subjects of guards', 'requests of the gate', 'candidates of rules'],
    ...['calls of middlewares', 'the turn of a runtime context', 'open gates', 'inspections of an open turn'],
    ...['inspections', 'results', 'results of compactions', 'loops', 'the model', 'lists'],
  ])('changes nothing when it is changed: %s', async (target) => {
    const untouched = await giveEverything({ give: () => undefined })
    const given: boolean[] = []

    const requests = await giveEverything({
      give: (kind, value) => {
        if (kind === target) given.push(vandalize(value))
      },
    })

    expect(given.length).toBeGreaterThan(0)
    // a list is made anew for each caller
    if (target !== 'lists' && target !== 'open gates') expect(given).not.toContain(true)
    expect(requests).toBe(untouched)
  })

  it('cannot be changed: the output of a turn', async () => {
    const final = { id: 'f1', name: 'final_output', input: { city: 'Rome', near: ['Ostia'] } }
    const { session } = await openSession({
      responses: [calling(final)],
      loop: {
        model: { ...model, capabilities: { tools: true } },
        output: { schema: z.strictObject({ city: z.string(), near: z.array(z.string()) }) },
      },
    })
    const submission = session.submit('Where?')
    const { output } = await submission.result()

    expect(vandalize(output)).toBe(false)
    expect((await submission.result()).output).toEqual({ city: 'Rome', near: ['Ostia'] })
  })

  it('cannot be changed: what a decider is told of a changed configuration', async () => {
    const store = memoryStore()
    const id = await parkedSession(store)
    const changed = { loops: [loop({ system: 'Be long.', model: { provider: 'p', name: 'n' } })] }

    const assessment = await assessmentOf(store, id, changed)
    const before = JSON.stringify(assessment)

    expect(vandalize(assessment)).toBe(false)
    const adopted: unknown[] = []
    const onDrift: typeof adoptAll = (told, options) => {
      vandalize(told)
      adopted.push(told)
      return adoptAll(told, options)
    }
    await (await rigOf(store, { ...changed, onDrift }).restoreSession(id)).shutdown()
    expect(JSON.stringify(adopted[0])).toBe(before)
  })
})

describe('what a caller changes after a call', () => {
  it('changes no input: its blocks and its options', async () => {
    const { session, recording } = await openSession({ responses: [{ text: 'a' }, { text: 'b' }] })
    const blocks: Block[] = [{ type: 'text', text: 'said' }]
    const options = { noFold: true, inputId: '11111111-0000-7000-8000-000000000001' as InputId } // proved: a UUID
    const submission = session.submit(blocks, options)

    blocks.push({ type: 'text', text: 'forged' })
    Object.assign(options, { noFold: false, inputId: 'forged' })
    await submission.result()

    const { inputId, message } = await recording.waitFor('TurnStarted')
    expect([inputId, message.blocks]).toEqual([submission.inputId, [{ type: 'text', text: 'said' }]])
  })

  it.each(['owner', 'mailbox'] as const)('changes no input that has a turn of its own: %s', async (who) => {
    const { session, rig, recording } = await openSession({
      responses: [calling({ name: 'work' }), { text: 'a' }, { text: 'b' }],
      tools: [effectTool('work', () => undefined)],
    })
    const first = session.submit('first')
    const options = { noFold: true }
    const second =
      who === 'owner' ? session.submit('second', options).accepted : rig.mailbox(session.id).submit('second', options)
    options.noFold = false

    await second
    await first.result()
    await session.waitIdle()

    expect(recording.events('TurnFoldedInto')).toEqual([])
  })

  it.each(['owner', 'mailbox'] as const)('changes no answer: %s', async (who) => {
    const ran: string[] = []
    const { session, rig } = await openSession({
      responses: [calling({ name: 'work' }), { text: 'ok' }],
      tools: [effectTool('work', (value) => void ran.push(value))],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const submission = session.submit('go')
    await session.waitIdle({ orWaiting: true })
    const [open] = session.gates()
    const answer: { action: GateAction } = { action: 'deny' }

    const answered = open && (who === 'owner' ? session : rig.mailbox(session.id)).answer(open.gateId, answer)
    answer.action = 'approve'
    await answered
    await submission.result()

    expect(ran).toEqual([])
  })

  it('changes no model', async () => {
    const { session, requests } = await openSession({ responses: [{ text: 'ok' }] })
    const chosen = { provider: 'scripted', name: 'chosen', sampling: { stop: ['END'] } }

    const set = session.setModel(chosen)
    chosen.name = 'forged'
    chosen.sampling.stop.push('FORGED')
    await set
    await session.submit('go').result()

    expect(requests[0]?.model).toEqual({ provider: 'scripted', name: 'chosen', sampling: { stop: ['END'] } })
  })

  it('changes no subscription: its filter', async () => {
    const { session, rig } = await openSession({ responses: [{ text: 'ok' }] })
    const filter: { -readonly [K in keyof EventFilter]: EventFilter[K] } = { class: 'enduring', types: ['TurnDone'] }
    const subscribed = recordSession(session, { filter })
    const watched = rig.watch(session.id, { filter })[Symbol.asyncIterator]()

    filter.class = 'ephemeral'
    filter.types = ['TurnStarted']
    await session.submit('go').result()
    await session.shutdown()
    await subscribed.ended

    expect(subscribed.deliveries.map(({ event }) => event.type)).toEqual(['TurnDone'])
    expect((await watched.next()).value?.event.type).toBe('TurnDone')
  })

  it('changes no definition: its options, and those of its rig', async () => {
    const client = scriptedClient(Array.from({ length: 4 }, (): ScriptedResponse => ({ text: 'ok' })))
    const output = { schema: z.strictObject({ a: z.string() }), description: 'before' }
    const plan = {
      name: 'plan',
      model: { ...model, name: 'big' },
      instructions: 'Plan.',
      tools: [],
      limits: { calls: 3 },
    }
    const kinds = [requirement('x').kind]
    const access = [{ kinds, accessFor: () => 'allow' as const }]
    const options = {
      ...{ name: 'main', system: 'before', client: strictClient(client), model: { ...model } },
      ...{
        tools: [effectTool('work', () => undefined)],
        gate: interactiveGate({ access }),
        modes: [plan],
        initialMode: '',
      },
      ...{ limits: { calls: 5 }, context: { keepRecentSegments: 2 }, middlewares: [] },
    } satisfies LoopOptions
    const appFields = { version: '1' }
    const workspace = { root: process.cwd() }
    const loops = [defineLoop(options), defineLoop({ ...options, name: 'typed', output })]
    const rig = defineRig({ loops, primers: ['main', 'typed'], store: memoryStore(), appFields, workspace })
    const session = await rig.newSession()
    const before = await rig.inspect(session.id)
    await session.submit('one').result()

    const { client: _, gate: __, tools, ...data } = options
    for (const given of [data, output, plan, kinds, access, appFields, workspace]) vandalize(given)
    Object.assign(options, data)
    tools.length = 0
    loops.length = 0
    const again = await rig.newSession()
    await again.submit('one').result()
    await Promise.all([session.shutdown(), again.shutdown()])

    expect((await rig.inspect(again.id)).manifest).toEqual(before.manifest)
    expect(JSON.stringify(client.requests[1])).toBe(JSON.stringify(client.requests[0]))
  })
})
