import { type LoopId, textOf } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineLoop, defineRig, type LoopMode } from '../../src/index.ts'
import { faultFrom, faultyStore } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { openSteered } from '../queue/steered-session.ts'
import { delivered, model, openSession, type Setup } from '../session/open-session.ts'

const other = { provider: 'scripted', name: 'other' }
const third = { provider: 'elsewhere', name: 'third' }
const unknown = '00000000-0000-7000-8000-00000000aaaa' as LoopId // proved: a UUID

let builds = 0
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  pure: true,
  inputSchema: z.strictObject({}),
  setup: () => {
    builds += 1
    return builds
  },
  run: (_input, { deps }) => textResult(`instance ${deps}`),
})

const modes: readonly LoopMode[] = [
  { name: 'plan', instructions: 'Plan only.', tools: [look] },
  { name: 'fast', model: other, limits: { iterations: 1 } },
]

function openModes(setup: Setup = {}) {
  const responses = Array.from({ length: 5 }, (_, n) => ({ text: `answer ${n}` }))
  return openSession({ responses, ...setup, loop: { system: 'Be brief.', modes, initialMode: '', ...setup.loop } })
}

describe('Session.setMode', () => {
  it('is in force from the next turn on', async () => {
    const { session, requests } = await openModes()
    await session.submit('1').result()

    await session.setMode('plan')
    await session.submit('2').result()
    await session.setMode('fast')
    await session.submit('3').result()
    await session.setMode('')
    await session.submit('4').result()

    expect(requests.map(({ system, tools, model: { name } }) => [system, tools?.length, name])).toEqual([
      ['Be brief.', undefined, 'm'],
      ['Be brief.\n\nPlan only.', 1, 'm'],
      ['Be brief.', undefined, 'other'],
      ['Be brief.', undefined, 'm'],
    ])
  })

  it('leaves a running turn its model, its tools and its limits', async () => {
    const { session, first, goOn, requests, types } = await openSteered({
      after: [{ toolCalls: [{ name: 'work' }] }, { text: 'one' }, { text: 'two' }],
      loop: { modes, initialMode: '' },
    })
    await session.setMode('fast')
    const own = session.submit('next', { noFold: true })

    goOn()
    goOn(2)
    const results = await Promise.all([first.result(), own.result()])

    expect(results.map(({ text }) => text)).toEqual(['one', 'two'])
    expect(requests.map(({ model: { name } }) => name)).toEqual(['m', 'm', 'm', 'other'])
    expect((await types()).indexOf('LoopModeChanged')).toBeLessThan((await types()).indexOf('StepDone'))
  })

  it('is durable before it shows, and tells what it was', async () => {
    const { session, store, recording } = await openModes({ loop: { initialMode: 'plan' } })

    const before = session.mode
    await session.setMode('fast')
    const last = (await readRecords(store, session.id)).at(-1)
    await delivered()

    expect([before, session.mode, session.model.name]).toEqual(['plan', 'fast', 'other'])
    expect(JSON.parse(last?.body ?? '{}')).toMatchObject({ type: 'LoopModeChanged', previous: 'plan', mode: 'fast' })
    expect(recording.events('LoopModeChanged')).toMatchObject([
      { loopId: session.loopId, previous: 'plan', mode: 'fast' },
    ])
  })

  it('changes nothing when the store refuses it', async () => {
    const store = faultyStore(memoryStore(), faultFrom(2, { kind: 'refused' }))
    const { session, recording } = await openModes({ store })

    const refused = await session.setMode('fast').catch((error: unknown) => error)

    expect(refused).toMatchObject({ code: 'session_faulted', reason: 'store_failed' })
    expect([session.mode, session.model.name]).toEqual(['', 'm'])
    expect(recording.events('LoopModeChanged')).toEqual([])
  })

  it('refuses a mode that the loop does not have, and a loop that the session does not have', async () => {
    const { session, store } = await openModes()
    const before = await store.ledger.find(session.id)

    const refused = await Promise.allSettled([
      session.setMode('Plan'),
      session.setMode('fast', { loopId: unknown }),
      session.setModel(other, { loopId: unknown }),
    ])

    expect(refused).toMatchObject([
      { reason: { name: 'SessionError', code: 'unknown_mode', message: expect.stringMatching(/plan, fast/) } },
      { reason: { name: 'SessionError', code: 'loop_not_found' } },
      { reason: { name: 'SessionError', code: 'loop_not_found' } },
    ])
    expect(session.mode).toBe('')
    expect(await store.ledger.find(session.id)).toEqual(before)
  })

  it('writes nothing for the mode that the loop has', async () => {
    const { session, recording } = await openModes()
    await session.setMode('plan')

    await session.setMode('plan')
    await session.setMode('plan')
    await delivered()

    expect(recording.events('LoopModeChanged')).toHaveLength(1)
  })

  it('is refused after a shutdown', async () => {
    const { session } = await openModes()
    await session.shutdown()

    await expect(session.setMode('plan')).rejects.toMatchObject({ code: 'session_closed' })
    await expect(session.setModel(other)).rejects.toMatchObject({ code: 'session_closed' })
  })

  it('builds a definition once, however many modes share it', async () => {
    builds = 0
    const asking = { toolCalls: [{ name: 'look' }] }
    const { session } = await openModes({
      responses: [asking, { text: 'a' }, asking, { text: 'b' }],
      tools: [look],
      loop: { modes: [...modes, { name: 'again', tools: [look] }] },
    })
    await session.submit('1').result()
    await session.setMode('again')
    await session.submit('2').result()

    const told = session.history().flatMap(({ role, blocks }) => (role === 'tool' ? [textOf(blocks)] : []))

    expect(told).toEqual(['instance 1', 'instance 1'])
    expect(builds).toBe(1)
  })

  it('refuses a tool of another mode', async () => {
    const { session } = await openModes({ responses: [{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }] })

    await session.submit('1').result()

    expect(JSON.stringify(session.history())).toContain('unknown tool: look')
  })

  it('is of one loop: another one keeps its own', async () => {
    const client = scriptedClient([{ text: 'one' }])
    const main = defineLoop({ name: 'main', client, model, modes, initialMode: '' })
    const side = defineLoop({ name: 'side', client, model, modes, initialMode: 'plan' })
    await using session = await defineRig({ loops: [main, side], store: memoryStore() }).newSession()
    const other = session.loops[1]?.loopId

    await session.setMode('fast', { loopId: other })
    await session.submit('Hi').result()

    expect(session.mode).toBe('')
    expect(client.requests.map(({ model: { name } }) => name)).toEqual(['m'])
  })
})

describe('Session.setModel', () => {
  it('is in force from the next turn on, also for a model of another provider', async () => {
    const { session, first, goOn, requests } = await openSteered({ after: [{ text: 'one' }, { text: 'two' }] })

    await session.setModel(third)
    goOn()
    await first.result()
    await session.submit('next').result()

    expect(session.model).toEqual(third)
    expect(requests.map(({ model: { name } }) => name)).toEqual(['m', 'm', 'third'])
  })

  it('counts until it or a mode with a model of its own comes', async () => {
    const { session } = await openModes()
    const seen: string[] = []
    const note = () => void seen.push(session.model.name)

    await session.setModel(third)
    note()
    await session.setMode('plan')
    note()
    await session.setMode('fast')
    note()
    await session.setModel(third)
    note()
    await session.setMode('fast')
    note()
    await session.setMode('')
    note()

    expect(seen).toEqual(['third', 'third', 'other', 'third', 'other', 'third'])
  })

  it('keeps a copy, and writes nothing when it is called again', async () => {
    const { session, recording } = await openModes()
    const changing = { ...third, sampling: { temperature: 0 } }

    await session.setModel(changing)
    changing.name = 'changed'
    await session.setModel({ ...third, sampling: { temperature: 0 } })
    await delivered()

    expect(session.model).toEqual({ ...third, sampling: { temperature: 0 } })
    expect(Reflect.set(session.model, 'name', 'x')).toBe(false)
    expect(recording.events('LoopInferenceChanged')).toHaveLength(1)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no name', { provider: 'p' }],
    ['a field of another kind', { ...third, limits: { windowTokens: 'many' } }],
    ['what JSON cannot hold', { ...third, more: 10n }],
  ])('refuses %s', async (_name, given) => {
    const { session } = await openModes()

    await expect(session.setModel(given as typeof third)).rejects.toMatchObject({ code: 'model_invalid' })
    expect(session.model.name).toBe('m')
  })

  it('refuses a model whose cost nobody could limit', async () => {
    const prices = { inputPerMillion: 1, outputPerMillion: 1, currency: 'USD' }
    const loop = { model: { ...model, prices }, limits: { cost: 5 } }
    const { session } = await openSession({ responses: [{ text: 'ok' }], loop })

    const refused = await Promise.allSettled([
      session.setModel(third),
      session.setModel({ ...third, prices: { ...prices, currency: 'EUR' } }),
      session.setModel({ ...third, prices }),
    ])

    expect(refused).toMatchObject([
      { reason: { code: 'model_invalid', message: expect.stringMatching(/no prices/) } },
      { reason: { code: 'model_invalid', message: expect.stringMatching(/USD/) } },
      { status: 'fulfilled' },
    ])
  })

  it('refuses a model that takes no images while the history holds one, also by its mode', async () => {
    const { session } = await openModes()
    await session.submit([{ type: 'image', mediaType: 'image/png', data: 'iVBO' }]).result()

    await expect(session.setModel(third)).rejects.toMatchObject({ code: 'model_invalid' })
    await expect(session.setMode('fast')).rejects.toMatchObject({ code: 'model_invalid' })
    await session.setMode('plan')

    expect([session.mode, session.model.name]).toEqual(['plan', 'm'])
  })

  it('rejects what waits and holds an image that the new model does not take', async () => {
    const { session, first, goOn, recording } = await openSteered({ after: [{ text: 'one' }, { text: 'two' }] })
    const picture = [{ type: 'image', mediaType: 'image/png', data: 'iVBO' } as const]
    const rejected = session.submit(picture, { noFold: true })
    const behind = session.submit('behind')
    await behind.accepted
    await session.setModel(third)

    goOn()
    const results = await Promise.all([first, rejected, behind].map((submission) => submission.result()))
    await delivered()

    expect(results.map(({ status }) => status)).toEqual(['done', 'rejected', 'done'])
    expect(results[1]).toMatchObject({ error: { code: 'input_invalid' } })
    expect(recording.events('TurnRejected')).toMatchObject([
      { inputId: rejected.inputId, reason: 'input_invalid', message: { blocks: picture } },
    ])
    expect(JSON.stringify(session.history())).not.toContain('iVBO')
  })
})
