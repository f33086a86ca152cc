import { scriptedClient } from '@looprig/inference/testing'
import { defineTool, type ToolDefinition, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DefinitionError, defineLoop, type LoopOptions } from '../../src/index.ts'

const model = { provider: 'scripted', name: 'm' }
const sound: LoopOptions = { name: 'main', client: scriptedClient([]), model }

const tool = (name: string): ToolDefinition =>
  defineTool({
    name,
    description: 'Does nothing.',
    pure: true,
    inputSchema: z.strictObject({}),
    run: () => textResult('ok'),
  })

/** Defines with garbage, as a caller without types may, and gives the error. */
function refusal(options: { readonly [K in keyof LoopOptions]?: unknown }): unknown {
  try {
    return defineLoop({ ...sound, ...options } as LoopOptions)
  } catch (error) {
    return error
  }
}

describe('defineLoop', () => {
  it('fills in what was left out', () => {
    const loop = defineLoop(sound)

    expect(loop).toMatchObject({ name: 'main', system: '', tools: [], gate: undefined, drainTimeoutMs: 5_000 })
    expect(loop.limits).toEqual({ iterations: 25, calls: 100, parallel: 8, resultBytes: 512 * 1024 })
  })

  it.each([
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['name', { name: 'a b' }],
    ['name', { name: '../x' }],
    ['name', { name: 'x'.repeat(65) }],
    ['name', { name: ['main'] }],
    ['client', { client: undefined }],
    ['client', { client: {} }],
    ['model', { model: undefined }],
    ['model', { model: { provider: 'p', name: '' } }],
    ['drainTimeoutMs', { drainTimeoutMs: -1 }],
    ['drainTimeoutMs', { drainTimeoutMs: Number.NaN }],
    ['drainTimeoutMs', { drainTimeoutMs: Number.POSITIVE_INFINITY }],
    ['tools[0]', { tools: [{}] }],
    ['tools[1]', { tools: [tool('same'), tool('same')] }],
  ])('names the option %s at fault: %j', (field, options) => {
    const error = refusal(options)

    expect(error).toBeInstanceOf(DefinitionError)
    expect(error).toMatchObject({ code: 'definition_invalid', field })
  })

  it('keeps a copy of what the caller may change later', () => {
    const tools = [tool('a')]
    const changing = { ...model }
    const loop = defineLoop({ ...sound, tools, model: changing })

    tools.push(tool('b'))
    changing.name = 'other'

    expect(loop.tools.map((each) => each.name)).toEqual(['a'])
    expect(loop.model).toEqual(model)
  })

  it('is frozen', () => {
    const loop = defineLoop({ ...sound, tools: [tool('a')] })

    const attempts = [
      Reflect.set(loop, 'gate', undefined),
      Reflect.set(loop.model, 'name', 'x'),
      Reflect.set(loop.tools, '1', tool('b')),
      Reflect.set(loop.limits, 'calls', 1_000),
    ]

    expect(attempts).toEqual(Array(4).fill(false))
  })
})

describe('limits', () => {
  it('takes what is set and fills in the rest', () => {
    const loop = defineLoop({ ...sound, limits: { iterations: 1, calls: 400, resultBytes: 256 } })

    expect(loop.limits).toEqual({ iterations: 1, calls: 400, parallel: 8, resultBytes: 256 })
  })

  it.each([
    ['iterations', 0],
    ['iterations', 1.5],
    ['calls', -1],
    ['calls', Number.NaN],
    ['calls', 401],
    ['parallel', 0],
    ['parallel', Number.POSITIVE_INFINITY],
    ['resultBytes', 255],
    ['resultBytes', '512'],
  ])('refuses limits.%s = %j', (field, value) => {
    expect(refusal({ limits: { [field]: value } })).toMatchObject({ name: 'DefinitionError', field: `limits.${field}` })
  })
})
