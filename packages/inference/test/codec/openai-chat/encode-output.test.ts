import { userMessage } from '@looprig/core'
import type { OutputFormat, ToolSpec } from '@looprig/inference'
import { chatProfiles } from '@looprig/inference/openai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ableModel, encodeChat } from '../../support/encode-chat.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const loose = { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string' } }, required: ['city'] }
const output: OutputFormat = { name: 'place', description: 'A place.', schema }

describe('the form of the answer', () => {
  it('is asked for as a JSON Schema that the provider holds to', () => {
    expect(encodeChat({ output }).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'place', description: 'A place.', strict: true, schema },
    })
  })

  it('is not held to strictly where the schema is not one for that', () => {
    expect(encodeChat({ output: { name: 'place', schema: loose } }).response_format).toMatchObject({
      json_schema: { strict: false, schema: loose },
    })
  })

  it('is told in the instructions where a server only knows that it is JSON', () => {
    const { response_format, messages } = encodeChat(
      { system: 'Be brief.', output, messages: [userMessage('Where?')] },
      chatProfiles.deepseek,
    )

    expect(response_format).toEqual({ type: 'json_object' })
    expect(messages.map(({ role }) => role)).toEqual(['system', 'system', 'user'])
    expect(messages[1]?.content).toContain(JSON.stringify(schema))
  })

  it('is refused for a model without the capability, and with a name that the protocol does not take', () => {
    expect(() => encodeChat({ model: { ...ableModel, capabilities: {} }, output })).toThrow(/^output: /)
    expect(() => encodeChat({ output: { ...output, name: 'a place' } })).toThrow(/^output\.name: /)
  })
})

describe('the schema of a tool', () => {
  const parametersOf = (inputSchema: ToolSpec['inputSchema'], strict?: boolean) => {
    const { tools } = encodeChat({ tools: [{ name: 'f', description: '', inputSchema, strict }] })
    return (tools as [{ function: { parameters: Record<string, unknown>; strict?: boolean } }])[0].function // proved: one tool
  }

  it('goes out as it is when it is fine', () => {
    expect(parametersOf(schema)).toEqual({ name: 'f', description: '', parameters: schema })
  })

  it.each([
    ['alternatives beside properties', { ...loose, anyOf: [{ required: ['city'] }, { required: ['zip'] }] }],
    ['nothing but alternatives', { anyOf: [loose, { type: 'object', properties: { id: { type: 'number' } } }] }],
    ['nothing', {}],
    ['no type', { properties: {} }],
    ['several types', { type: ['string', 'null'] }],
    ['a list without items', { type: 'object', properties: { a: { type: 'array' } } }],
    ['a reference that leads nowhere', { type: 'object', properties: { a: { $ref: '#/$defs/gone' } } }],
  ])('becomes one that no server refuses: %s', (_what, inputSchema) => {
    const { parameters } = parametersOf(inputSchema)

    expect(parameters.type).toBe('object')
    for (const keyword of ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref'])
      expect(parameters).not.toHaveProperty(keyword)
    expect(JSON.stringify(parameters)).not.toContain('$ref')
    expect(JSON.stringify(parameters)).not.toContain('{"type":"array"}')
  })

  it('keeps what references lead to', () => {
    const recursive = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { child: { $ref: '#/$defs/node' } } } },
    }

    expect(parametersOf(recursive).parameters).toEqual(recursive)
  })

  it('is asked to be held to strictly only where it can be', () => {
    expect(parametersOf(schema, true).strict).toBe(true)
    expect(parametersOf(loose, true).strict).toBe(false)
  })

  it('of a zod union keeps its optional members optional', () => {
    const union = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a'), note: z.string().optional() }),
      z.strictObject({ kind: z.literal('b'), size: z.number().nullable() }),
    ])

    const { parameters } = parametersOf(z.toJSONSchema(union, { io: 'input' }) as ToolSpec['inputSchema']) // proved: JSON

    expect(parameters).toMatchObject({ type: 'object', required: ['kind'] })
  })
})
