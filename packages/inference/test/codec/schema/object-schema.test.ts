import type { JsonObject } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { objectSchema } from '../../../src/codec/schema/object-schema.ts'

const text = { type: 'string' }
const number = { type: 'number' }

describe('objectSchema', () => {
  it('gives a schema that is fine back as it is', () => {
    const schema = { type: 'object', properties: { a: { anyOf: [text, number] } }, $defs: { x: text } }

    expect(objectSchema(schema)).toBe(schema)
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['nothing', {}, { type: 'object' }],
    ['no type', { properties: { a: text } }, { type: 'object', properties: { a: text } }],
    ['a type among others', { type: ['object', 'null'], properties: {} }, { type: 'object', properties: {} }],
    [
      'a wrong type beside properties',
      { type: 'string', properties: { a: text } },
      { type: 'object', properties: { a: text } },
    ],
    ['a type that is no object', { type: ['string', 'null'], description: 'd' }, { type: 'object', description: 'd' }],
    [
      'alternatives of what is needed',
      { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { type: 'object', properties: { a: text, b: text } },
    ],
    [
      'alternatives alone',
      {
        anyOf: [
          { type: 'object', properties: { kind: { const: 'a' }, x: text }, required: ['kind', 'x'] },
          { type: 'object', properties: { kind: { const: 'b' }, y: number }, required: ['kind'] },
          { type: 'null' },
        ],
      },
      {
        type: 'object',
        properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, x: text, y: number },
        required: ['kind'],
      },
    ],
    [
      'parts that all hold',
      {
        allOf: [{ properties: { a: text }, required: ['a'] }, { $ref: '#/$defs/more' }],
        $defs: { more: { properties: { b: text }, required: ['b'] } },
      },
      {
        type: 'object',
        properties: { a: text, b: text },
        required: ['a', 'b'],
        $defs: { more: { properties: { b: text }, required: ['b'] } },
      },
    ],
    [
      'a reference at the top',
      { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } } },
      {
        type: 'object',
        properties: { next: { $ref: '#/$defs/node' } },
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      },
    ],
    ['a reference that leads in a circle', { $ref: '#' }, { type: 'object' }],
    ['a reference that leads nowhere', { $ref: '#/$defs/x' }, { type: 'object' }],
    [
      'a reference into what goes',
      { anyOf: [{ properties: { a: { $ref: '#/anyOf/1' } } }, { properties: { b: text } }] },
      { type: 'object' },
    ],
  ])('makes an object of %s', (_what, schema, expected) => {
    expect(objectSchema(schema)).toEqual(expected)
  })

  it('takes a discriminated union of zod', () => {
    const union = z.discriminatedUnion('op', [
      z.strictObject({ op: z.literal('add'), n: z.int() }),
      z.strictObject({ op: z.literal('list') }),
    ])

    const made = objectSchema(z.toJSONSchema(union, { io: 'input' }) as JsonObject)

    expect(made).toMatchObject({ type: 'object', required: ['op'] })
    expect(Object.keys(made)).not.toContain('oneOf')
  })
})
