import { scriptedClient } from '@looprig/inference/testing'
import { defineTool, type ToolDefinition, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DefinitionError, defineLoop, type LoopMode, type LoopOptions } from '../../src/index.ts'
import { effectiveLoop } from '../../src/loop/effective-loop.ts'
import { chooseMode, chooseModel } from '../../src/loop/loop-choice.ts'

const model = { provider: 'scripted', name: 'm' }
const other = { provider: 'scripted', name: 'other' }
const third = { provider: 'elsewhere', name: 'third' }
const sound: LoopOptions = { name: 'main', client: scriptedClient([]), model, system: 'Be brief.' }

function tool(name: string): ToolDefinition {
  const spec = { name, description: 'Does nothing.', pure: true as const, inputSchema: z.strictObject({}) }
  return defineTool({ ...spec, run: () => textResult('ok') })
}

function refusal(options: object): unknown {
  try {
    return defineLoop({ ...sound, initialMode: '', ...options })
  } catch (error) {
    return error
  }
}

const prices = { inputPerMillion: 1, outputPerMillion: 2, currency: 'USD' }

describe('the modes of a loop', () => {
  const [read, write] = [tool('read'), tool('write')]
  const plan: LoopMode = { name: 'plan', tools: [read], instructions: 'Plan only.', limits: { calls: 7 } }
  const fast: LoopMode = { name: 'fast', model: other }
  const loop = defineLoop({ ...sound, tools: [read, write], modes: [plan, fast], initialMode: 'plan' })

  it('are the loop with what they say instead', () => {
    expect(effectiveLoop(loop, { mode: 'plan' })).toMatchObject({
      name: 'main',
      system: 'Be brief.\n\nPlan only.',
      tools: [read],
      model,
      limits: { iterations: 25, calls: 7, parallel: 8 },
    })
    expect(effectiveLoop(loop, { mode: 'fast' })).toMatchObject({
      system: 'Be brief.',
      tools: [read, write],
      model: other,
    })
    expect(effectiveLoop(loop, { mode: '' })).toMatchObject({ system: 'Be brief.', tools: [read, write], model })
  })

  it('have no tool with an empty list, and instructions alone where the loop has no system', () => {
    const chat = defineLoop({
      ...sound,
      system: undefined,
      tools: [read],
      modes: [{ name: 'chat', tools: [], instructions: 'Talk.' }],
      initialMode: 'chat',
    })

    expect(effectiveLoop(chat, { mode: 'chat' })).toMatchObject({ tools: [], system: 'Talk.' })
  })

  it('leave a chosen model alone, unless they have one of their own', () => {
    const chosen = chooseModel({ mode: '' }, third)
    const modelOf = (choice: Parameters<typeof effectiveLoop>[1]) => effectiveLoop(loop, choice).model

    const planned = chooseMode(chosen, 'plan')
    const hurried = chooseMode(planned, 'fast')

    expect([chosen, planned, hurried].map(modelOf)).toEqual([third, third, other])
    expect(modelOf(chooseModel(hurried, third))).toEqual(third)
    expect(modelOf(chooseMode(hurried, ''))).toEqual(third)
  })

  it('are copied and frozen', () => {
    const tools = [read]
    const mode = { name: 'm', tools, model: { ...other } }
    const defined = defineLoop({ ...sound, modes: [mode], initialMode: 'm' })

    tools.push(write)
    mode.model.name = 'changed'

    expect(defined.modes[0]).toMatchObject({ tools: [read], model: other })
    expect(Reflect.set(defined.modes[0] ?? {}, 'name', 'x')).toBe(false)
    expect(Reflect.set(defined.modes, '0', undefined)).toBe(false)
  })

  it.each<[string, object]>([
    ['modes', { modes: 'plan' }],
    ['modes', { modes: Array.from({ length: 65 }, (_, index) => ({ name: `m${index}` })) }],
    ['modes[0].name', { modes: [{}] }],
    ['modes[0].name', { modes: [undefined] }],
    ['modes[0].name', { modes: [{ name: '' }] }],
    ['modes[0].name', { modes: [{ name: 'a b' }] }],
    ['modes[1].name', { modes: [{ name: 'same' }, { name: 'same' }] }],
    ['modes[0].model', { modes: [{ name: 'm', model: { provider: 'p' } }] }],
    [
      'modes[0].model.sampling.temperature',
      { modes: [{ name: 'm', model: { ...model, sampling: { temperature: 'hot' } } }] },
    ],
    ['modes[0].tools', { modes: [{ name: 'm', tools: 'read' }] }],
    ['modes[0].tools[0]', { modes: [{ name: 'm', tools: [{}] }] }],
    ['modes[0].tools[1]', { modes: [{ name: 'm', tools: [read, tool('read')] }] }],
    ['modes[0].limits.calls', { modes: [{ name: 'm', limits: { calls: 401 } }] }],
    ['modes[0].limits.tokens', { modes: [{ name: 'm', limits: { tokens: 0.5 } }] }],
    ['modes[0].instructions', { modes: [{ name: 'm', instructions: 7 }] }],
    ['modes[0].limits.cost', { modes: [{ name: 'm', limits: { cost: 1 } }] }],
    ['modes[0].limits.cost', { model: { ...model, prices }, limits: { cost: 1 }, modes: [{ name: 'm', model }] }],
    [
      'modes[0].model.prices.currency',
      {
        model: { ...model, prices },
        limits: { cost: 1 },
        modes: [{ name: 'm', model: { ...other, prices: { ...prices, currency: 'EUR' } } }],
      },
    ],
    ['initialMode', { modes: [{ name: 'm' }], initialMode: undefined }],
    ['initialMode', { modes: [{ name: 'm' }], initialMode: 'n' }],
    ['initialMode', { initialMode: 'm' }],
  ])('names the option %s at fault', (field, options) => {
    const error = refusal(options)

    expect(error).toBeInstanceOf(DefinitionError)
    expect(error).toMatchObject({ code: 'definition_invalid', field })
  })

  it('may limit the cost in a currency of their own', () => {
    const euro = { ...other, prices: { ...prices, currency: 'EUR' } }
    const defined = defineLoop({
      ...sound,
      model: { ...model, prices },
      limits: { cost: 1 },
      modes: [{ name: 'm', model: euro, limits: { cost: 2 } }],
      initialMode: '',
    })

    expect(effectiveLoop(defined, { mode: 'm' })).toMatchObject({ limits: { cost: 2 }, model: euro })
  })
})

describe('a model', () => {
  it.each([
    ['model.capabilities.images', { capabilities: { images: 'yes' } }],
    ['model.limits.windowTokens', { limits: { windowTokens: -1 } }],
    ['model.prices.inputPerMillion', { prices: { ...prices, inputPerMillion: -1 } }],
    ['model.prices.outputPerMillion', { prices: { ...prices, outputPerMillion: Number.NaN } }],
    ['model.prices.currency', { prices: { ...prices, currency: '' } }],
  ])('is refused by its field %s', (field, more) => {
    expect(refusal({ model: { ...model, ...more } })).toMatchObject({ name: 'DefinitionError', field })
  })
})
