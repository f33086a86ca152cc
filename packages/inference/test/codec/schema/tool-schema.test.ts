import type { JsonObject } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isStrictSchema } from '../../../src/codec/schema/strict-schema.ts'
import { toolSchema } from '../../../src/codec/schema/tool-schema.ts'

const text = { type: 'string' }

describe('the schema of a tool', () => {
  it('stays as it is when the provider takes it', () => {
    const schema = {
      type: 'object',
      properties: { node: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    }

    expect(toolSchema(schema)).toEqual(schema)
  })

  it('becomes an object without alternatives at its top', () => {
    const alternatives = [{ required: ['a'] }, { required: ['b'] }]
    const made = toolSchema({ type: 'object', properties: { a: text, b: text }, anyOf: alternatives })

    expect(made).toEqual({ type: 'object', properties: { a: text, b: text } })
  })

  it('takes the members of alternatives where it has none of its own', () => {
    const made = toolSchema({
      oneOf: [
        { type: 'object', properties: { kind: { const: 'a' }, a: text }, required: ['kind', 'a'] },
        { type: 'object', properties: { kind: { const: 'b' }, b: text }, required: ['kind', 'b'] },
      ],
    })

    expect(made).toMatchObject({ type: 'object', required: ['kind'] })
    expect(Object.keys(made.properties ?? {})).toEqual(['kind', 'a', 'b'])
    expect(made).not.toHaveProperty('oneOf')
  })

  it.each<[JsonObject, JsonObject]>([
    [{}, { type: 'object', properties: {} }],
    [{ properties: {} }, { type: 'object', properties: {} }],
    [JSON.parse(`${'{"not":'.repeat(3000)}{}${'}'.repeat(3000)}`), { type: 'object', properties: {} }],
    [
      { type: 'object', enum: [1], not: {} },
      { type: 'object', properties: {} },
    ],
    [
      { type: 'object', properties: { list: { type: 'array' } } },
      { type: 'object', properties: { list: { type: 'array', items: {} } } },
    ],
    [
      {
        type: 'object',
        properties: { deep: { anyOf: [{ type: 'object', properties: { list: { type: 'array' } } }] } },
      },
      {
        type: 'object',
        properties: { deep: { anyOf: [{ type: 'object', properties: { list: { type: 'array', items: {} } } }] } },
      },
    ],
    [
      { type: 'object', properties: { gone: { $ref: '#/$defs/gone', description: 'x' } } },
      { type: 'object', properties: { gone: { description: 'x' } } },
    ],
    [
      { type: 'object', properties: { far: { $ref: 'https://example.org/s' } } },
      { type: 'object', properties: { far: {} } },
    ],
    [
      { type: 'object', properties: { enum: { enum: [{ type: 'array' }] } } },
      { type: 'object', properties: { enum: { enum: [{ type: 'array' }] } } },
    ],
  ])('is mended: %#', (schema, expected) => {
    expect(toolSchema(schema)).toEqual(expected)
  })
})

describe('isStrictSchema', () => {
  const strict = (schema: z.ZodType): boolean => isStrictSchema(z.toJSONSchema(schema) as JsonObject)

  it('takes what the provider can hold a model to', () => {
    expect(strict(z.object({ a: z.string(), b: z.array(z.number()), c: z.enum(['x']).nullable() }))).toBe(true)
    expect(strict(z.object({ either: z.union([z.string(), z.object({ n: z.int() })]) }))).toBe(true)
  })

  it.each<[string, z.ZodType]>([
    ['an optional member', z.object({ a: z.string().optional() })],
    ['a default', z.object({ a: z.string().default('x') })],
    ['a record', z.object({ a: z.record(z.string(), z.string()) })],
    ['a union told apart by a member', z.object({ a: z.discriminatedUnion('k', [z.object({ k: z.literal('x') })]) })],
    ['an object that takes more', z.looseObject({ a: z.string() })],
    ['a list at the top', z.array(z.string())],
    ['a union at the top', z.union([z.object({}), z.object({ a: z.string() })])],
  ])('does not take %s', (_what, schema) => {
    expect(strict(schema)).toBe(false)
  })
})
