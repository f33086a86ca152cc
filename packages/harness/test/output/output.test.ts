import { type Message, textOf } from '@looprig/core'
import type { ScriptedResponse } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { ToolError } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeferred } from '../../src/clock/deferred.ts'
import { DefinitionError, defineLoop, interactiveGate, type LoopOptions, type OutputSpec } from '../../src/index.ts'
import {
  allowing,
  answersOf,
  callEvents,
  calling,
  effectTool,
  openSession,
  resultsOf,
  resultTexts,
  type Setup,
  streamingClient,
  textEvents,
} from '../session/open-session.ts'

const schema = z.strictObject({ city: z.string(), celsius: z.number().int(), sure: z.boolean().default(true) })
const output: OutputSpec<unknown> = { schema }
const model = { provider: 'scripted', name: 'm', capabilities: { tools: true } }

function withOutput(responses: readonly ScriptedResponse[], setup: Partial<Setup> = {}) {
  const { loop, ...rest } = setup
  return openSession({ responses, ...rest, loop: { model, output, ...loop } })
}

const final = (input: object, id = 'f1') => ({ id, name: 'final_output', input: input as never })
const good = calling(final({ celsius: 21, city: 'Rome' }))
const canonical = '{"celsius":21,"city":"Rome","sure":true}'

describe('the output of a loop', () => {
  it('is what its schema parses of the model’s last call', async () => {
    const { session } = await withOutput([good])

    const result = await session.submit('Weather?').result()

    expect(result).toMatchObject({ status: 'done', text: canonical })
    expect(result.output).toEqual({ city: 'Rome', celsius: 21, sure: true })
    expect(Object.isFrozen(result.output)).toBe(true)
  })

  it('is kept as one text of canonical JSON, and never as a call', async () => {
    const { session, recording } = await withOutput([
      { thinking: 'hm', text: 'Here you are:', toolCalls: good.toolCalls },
    ])

    await session.submit('Weather?').result()

    const [answer] = answersOf(session.history())
    expect(answer?.blocks).toEqual([{ type: 'text', text: canonical }])
    expect(answer?.usage).toBeDefined()
    expect(answer?.model).toBe('scripted')
    expect(await recording.waitFor('TurnDone')).toMatchObject({ structured: true })
    expect(recording.events('ToolCallStarted')).toEqual([])
  })

  it('is asked for by exactly that tool where the loop has no other', async () => {
    const { session, requests } = await withOutput([good], {
      loop: { output: { schema, description: 'The weather.' } },
    })

    await session.submit('Weather?').result()

    expect(requests[0]?.toolChoice).toEqual({ name: 'final_output' })
    expect(requests[0]?.tools).toMatchObject([{ name: 'final_output', description: 'The weather.' }])
    expect(requests[0]?.tools?.[0]?.inputSchema).toMatchObject({ type: 'object', required: ['city', 'celsius'] })
  })

  it('is asked for beside the other tools, with the same list in every request', async () => {
    const { session, requests } = await withOutput(
      [calling({ name: 'work' }), good, calling(final({ celsius: 1, city: 'Oslo' }))],
      { tools: [effectTool('work', () => undefined)] },
    )

    const first = await session.submit('Weather?').result()
    const second = await session.submit('And in Oslo?').result()

    expect([first.output, second.output]).toMatchObject([{ city: 'Rome' }, { city: 'Oslo' }])
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'required', 'required'])
    expect(requests[0]?.tools?.map(({ name }) => name)).toEqual(['work', 'final_output'])
    expect(requests[1]?.tools).toBe(requests[0]?.tools)
    expect(requests[2]?.tools).toBe(requests[0]?.tools)
    expect(resultTexts(session.history())).toEqual(['work did x'])
  })

  it('is part of the next turn’s transcript as an answer like any other', async () => {
    const { session, requests } = await withOutput([good, good])
    await session.submit('Weather?').result()

    await session.submit('Again?').result()

    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('takes a JSON Schema with its parser', async () => {
    const jsonSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const parse = ({ n }: { readonly [key: string]: unknown }) => {
      if (typeof n !== 'number') throw new ToolError('invalid_arguments', 'n: expected a number')
      return { n: n + 1 }
    }
    const { session, requests } = await withOutput([calling(final({ n: 1 })), calling(final({ n: 'x' }))], {
      loop: { output: { schema: { jsonSchema, parse } } },
    })

    const taken = await session.submit('One').result()
    const refused = await session.submit('Two').result()

    expect(taken.output).toEqual({ n: 2 })
    expect(refused.error).toEqual({
      code: 'output_invalid',
      message: 'the output does not fit its schema: n: expected a number',
    })
    expect(requests[0]?.tools?.[0]?.inputSchema).toEqual(jsonSchema)
  })

  describe('that is not valid', () => {
    it.each<readonly [string, ScriptedResponse, RegExp]>([
      ['has a wrong type', calling(final({ city: 'Rome', celsius: 'warm' })), /does not fit its schema: .*celsius/],
      ['has a part too many', calling(final({ city: 'Rome', celsius: 1, why: 'x' })), /does not fit its schema/],
      ['is no JSON', calling({ name: 'final_output', rawInput: '{"city":' }), /not valid JSON/],
      ['is no object', calling({ name: 'final_output', rawInput: '[1]' }), /not a JSON object/],
      ['is not there', calling({ name: 'final_output', rawInput: '' }), /does not fit its schema/],
      ['comes as a text', { text: canonical }, /without giving its output/],
      ['comes as nothing', {}, /without giving its output/],
    ])('fails the turn and leaves no trace when it %s', async (_what, response, message) => {
      const { session, recording } = await withOutput([response])

      const result = await session.submit('Weather?').result()

      expect(result).toMatchObject({ status: 'failed', text: '', error: { code: 'output_invalid' } })
      expect(result.error?.message).toMatch(message)
      expect('output' in result).toBe(false)
      expect(session.history().map(({ role }) => role)).toEqual(['user'])
      expect(recording.events('StepDone')).toEqual([])
    })

    it('keeps the steps before it', async () => {
      const { session } = await withOutput([calling({ name: 'work' }), { text: 'Warm.' }], {
        tools: [effectTool('work', () => undefined)],
      })

      const result = await session.submit('Weather?').result()

      expect(result.error?.code).toBe('output_invalid')
      expect(session.history().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    })

    it('is told without a value that it holds', async () => {
      const { session } = await withOutput([calling(final({ city: 'Rome', celsius: 'sentinel' }))])

      const result = await session.submit('Weather?').result()

      expect(JSON.stringify(result)).not.toContain('sentinel')
    })

    it('is not JSON data any more after its parser', async () => {
      const dated = { schema: z.strictObject({ at: z.string().transform((at) => new Date(at)) }) }
      const { session } = await withOutput([calling(final({ at: '2026-01-01' }))], { loop: { output: dated } })

      const result = await session.submit('When?').result()

      expect(result.error).toEqual({ code: 'output_invalid', message: 'the output was not parsed to JSON data' })
    })

    it('tells nothing of a parser that fails in another way', async () => {
      const parse = () => {
        throw new Error('sentinel')
      }
      const { session } = await withOutput([calling(final({}))], {
        loop: { output: { schema: { jsonSchema: { type: 'object' }, parse } } },
      })

      const result = await session.submit('When?').result()

      expect(result.error).toEqual({ code: 'output_invalid', message: 'the output could not be parsed' })
    })

    it('was cut off by the output limit', async () => {
      const client = streamingClient(async function* () {
        yield* callEvents('f1', 'final_output', JSON.stringify({ city: 'Rome', celsius: 1 }))
        yield { type: 'finish', reason: 'length' }
      })
      const { session } = await withOutput([], { client })

      const result = await session.submit('Weather?').result()

      expect(result.error?.message).toBe('the output was cut off by the output limit of the model')
    })
  })

  it('needs a model that calls tools where it is to be given by one: the turn fails before the model is asked', async () => {
    const loop = { model: { provider: 'p', name: 'm' }, output: { ...output, strategy: 'tool' } } as const
    const { session, requests } = await withOutput([good], { loop })

    const result = await session.submit('Weather?').result()

    expect(result).toMatchObject({ status: 'failed', error: { code: 'output_unsupported' } })
    expect(requests).toEqual([])
  })

  it('beside other calls is refused, and the others run', async () => {
    const ran: string[] = []
    const mixed = calling(final({ city: 'Rome', celsius: 0 }), { id: 'w1', name: 'work' })
    const { session, requests } = await withOutput([mixed, good], {
      tools: [effectTool('work', (value) => void ran.push(value))],
    })

    const result = await session.submit('Weather?').result()

    expect(result.output).toMatchObject({ celsius: 21 })
    expect(ran).toEqual(['x'])
    const [refused, did] = resultsOf(session.history())
    expect(refused).toMatchObject({ toolUseId: 'f1', isError: true })
    expect(textOf(refused?.blocks ?? [])).toMatch(/^output_not_final: final_output must be the only call/)
    expect(did).toMatchObject({ toolUseId: 'w1', isError: false })
    expect(requests).toHaveLength(2)
  })

  it('given twice in one response is refused twice, within the limits of the turn', async () => {
    const double = calling(final({ city: 'a', celsius: 1 }, 'f1'), final({ city: 'b', celsius: 2 }, 'f2'))
    const { session } = await withOutput([double, double, double], { limits: { iterations: 2 } })

    const result = await session.submit('Weather?').result()

    expect(result.error?.code).toBe('tool_limit')
    expect(resultsOf(session.history()).filter(({ isError }) => isError)).toHaveLength(6)
  })

  it('is not a round of tool calls: it is taken when the limit is used up', async () => {
    const { session } = await withOutput([calling({ name: 'work' }), good], {
      tools: [effectTool('work', () => undefined)],
      limits: { iterations: 1, calls: 1 },
    })

    const result = await session.submit('Weather?').result()

    expect(result.output).toMatchObject({ city: 'Rome' })
  })

  it('keeps nothing of a response that breaks off', async () => {
    const { session } = await withOutput([{ text: 'It is', error: { code: 'network', afterText: true } }])

    const result = await session.submit('Weather?').result()

    expect(result).toMatchObject({ status: 'failed', text: '', error: { code: 'network' } })
    expect(session.history().map(({ role }) => role)).toEqual(['user'])
  })

  it('keeps nothing of a response that is interrupted', async () => {
    const begun = createDeferred<void>()
    const client = streamingClient(async function* () {
      yield* textEvents('It is')
      begun.resolve()
      await new Promise(() => undefined)
    })
    const { session } = await withOutput([], { client })
    const submission = session.submit('Weather?')
    await begun.promise

    await session.interrupt()

    expect(await submission.result()).toMatchObject({ status: 'interrupted', text: '' })
    expect(session.history().map(({ role }) => role)).toEqual(['user'])
  })

  it('is restored with its input', async () => {
    const store = memoryStore()
    const { session, rig } = await withOutput([good], { store })
    const submission = session.submit('Weather?')
    const before = await submission.result()
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)
    const after = await restored.submit('Weather?', { inputId: submission.inputId }).result()

    expect(after).toEqual(before)
    expect(after.output).toEqual({ city: 'Rome', celsius: 21, sure: true })
  })

  it('that was refused beside a call at a gate is still refused after a restore', async () => {
    const mixed = calling(final({ city: 'Rome', celsius: 0 }), { id: 'w1', name: 'work' })
    const ran: string[] = []
    const { session, rig, recording } = await withOutput([mixed, good], {
      tools: [effectTool('work', (value) => void ran.push(value))],
      gate: interactiveGate({ access: [allowing('ask')] }),
    })
    const submission = session.submit('Weather?')
    const { gateId } = await recording.waitFor('PermissionRequested')
    await session.shutdown()

    await using restored = await rig.restoreSession(session.id)
    const again = restored.submit('Weather?', { inputId: submission.inputId })
    await restored.answer(gateId, { action: 'approve' })
    const result = await again.result()

    expect(result).toMatchObject({ status: 'done', output: { city: 'Rome' } })
    expect(ran).toEqual(['x'])
    expect(resultTexts(restored.history())[0]).toMatch(/^output_not_final/)
  })
})

describe('the definition of an output', () => {
  const define = (options: Partial<LoopOptions>) => () =>
    defineLoop({
      name: 'main',
      client: { stream: () => undefined, invoke: () => undefined } as unknown as LoopOptions['client'],
      model,
      ...options,
    })

  it.each<readonly [string, unknown, string]>([
    ['a schema that is none', { schema: 'x' }, 'output.schema'],
    ['a schema of no object', { schema: z.array(z.string()) }, 'output.schema'],
    ['a schema that cannot be shown', { schema: z.strictObject({ at: z.date() }) }, 'output.schema'],
    ['a description that is no text', { schema, description: 5 }, 'output.description'],
    ['a strategy that nobody knows', { schema, strategy: 'guess' }, 'output.strategy'],
  ])('refuses %s', (_what, spec, field) => {
    expect(define({ output: spec as OutputSpec<unknown> })).toThrow(DefinitionError)
    expect(define({ output: spec as OutputSpec<unknown> })).toThrow(new RegExp(`^${field}`))
  })

  it('keeps its tool’s name from all others, also without an output and in a mode', () => {
    const tools = [effectTool('final_output', () => undefined)]

    expect(define({ tools })).toThrow(/^tools\[0\]: the name final_output is reserved/)
    expect(define({ initialMode: '', modes: [{ name: 'm', tools }] })).toThrow(/final_output is reserved/)
  })

  it('leaves a loop without one as it was', async () => {
    const { session, requests } = await openSession({ responses: [{ text: '{"city":"Rome"}' }], loop: { model } })

    const result = await session.submit('Weather?').result()

    expect('output' in result).toBe(false)
    expect(requests[0]).not.toHaveProperty('toolChoice')
    expect((session.history()[1] as Message).blocks).toEqual([{ type: 'text', text: '{"city":"Rome"}' }])
  })
})
