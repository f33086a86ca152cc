import type { JsonObject } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type GeminiSchema, geminiSchema } from '../../../src/codec/gemini/gemini-schema.ts'

const text = { type: 'string' }
const STRING = { type: 'STRING' }
const anything = { anyOf: [STRING, { type: 'NUMBER' }, { type: 'BOOLEAN' }, { type: 'OBJECT' }] }

/** What a member becomes. */
const member = (schema: JsonObject, defs: JsonObject = {}): GeminiSchema | undefined =>
  geminiSchema({ type: 'object', properties: { x: schema }, ...defs }).properties?.x

const ofZod = (schema: z.ZodType): GeminiSchema => geminiSchema(z.toJSONSchema(schema, { io: 'input' }) as JsonObject)

describe('a schema for Gemini', () => {
  it.each<[JsonObject, GeminiSchema]>([
    [{}, { type: 'OBJECT' }],
    [{ properties: {} }, { type: 'OBJECT' }],
    [{ type: 'string', properties: {} }, { type: 'OBJECT' }],
    [{ description: 'Args.' }, { type: 'OBJECT', description: 'Args.' }],
  ])('is an object at its top: %j', (schema, expected) => {
    expect(geminiSchema(schema)).toEqual(expected)
  })

  it.each<[JsonObject, GeminiSchema]>([
    [
      { type: 'string', title: 'T', pattern: '^a', default: 'a', minLength: 1, format: 'uri' },
      { type: 'STRING', minLength: '1' },
    ],
    [
      { type: 'string', format: 'date-time' },
      { type: 'STRING', format: 'date-time' },
    ],
    [{ enum: ['a', 'b', ''] }, { type: 'STRING', format: 'enum', enum: ['a', 'b'] }],
    [
      { const: 'a', description: 'Kind.' },
      { type: 'STRING', description: 'Kind.', format: 'enum', enum: ['a'] },
    ],
    [
      { type: 'integer', enum: [1, 2], description: 'Level.' },
      { type: 'INTEGER', description: 'Level. One of: 1, 2.' },
    ],
    [{ enum: [1, 2] }, { type: 'NUMBER', description: 'One of: 1, 2.' }],
    [
      { type: 'number', minimum: 0, exclusiveMaximum: 5 },
      { type: 'NUMBER', minimum: 0 },
    ],
    [{ type: ['string', 'null'] }, { type: 'STRING', nullable: true }],
    [{ enum: ['a', null] }, { type: 'STRING', format: 'enum', enum: ['a'], nullable: true }],
    [
      { type: ['string', 'integer'], description: 'Id.' },
      {
        anyOf: [
          { type: 'STRING', description: 'Id.' },
          { type: 'INTEGER', description: 'Id.' },
        ],
      },
    ],
    [{ anyOf: [text, { type: 'null' }] }, { type: 'STRING', nullable: true }],
    [
      { anyOf: [text, { type: 'integer' }, { type: 'null' }] },
      {
        anyOf: [
          { type: 'STRING', nullable: true },
          { type: 'INTEGER', nullable: true },
        ],
      },
    ],
    [{ oneOf: [text, { anyOf: [text, { type: 'boolean' }] }] }, { anyOf: [STRING, { type: 'BOOLEAN' }] }],
    [{ allOf: [text, { description: 'Name.' }] }, { type: 'STRING', description: 'Name.' }],
    [{ type: 'array' }, { type: 'ARRAY', items: anything }],
    [
      { items: text, maxItems: 3 },
      { type: 'ARRAY', items: STRING, maxItems: '3' },
    ],
    [{ prefixItems: [text, { type: 'number' }] }, { type: 'ARRAY', items: { anyOf: [STRING, { type: 'NUMBER' }] } }],
    [{ type: 'string', properties: { a: text } }, STRING],
    [{ type: 'object', additionalProperties: text }, { type: 'OBJECT' }],
    [{ additionalProperties: text }, { type: 'OBJECT' }],
    [
      { type: 'object', properties: { a: text }, required: ['a', 'gone'] },
      { type: 'OBJECT', properties: { a: STRING }, required: ['a'] },
    ],
    [{}, anything],
    [{ type: 'whatever' }, anything],
    [{ type: 'null' }, { anyOf: anything.anyOf.map((each) => ({ ...each, nullable: true })) }],
  ])('tells a member %j as the provider can read it', (schema, expected) => {
    expect(member(schema)).toEqual(expected)
  })

  it('resolves references, with what stands beside them', () => {
    const defs = { $defs: { name: { type: 'string', description: 'A name.' }, alias: { $ref: '#/$defs/name' } } }

    expect(member({ $ref: '#/$defs/name' }, defs)).toEqual({ type: 'STRING', description: 'A name.' })
    expect(member({ $ref: '#/$defs/alias', description: 'Yours.' }, defs)).toEqual({
      type: 'STRING',
      description: 'Yours.',
    })
    expect(member({ $ref: '#/properties/y' }, { properties: { x: { $ref: '#/properties/y' }, y: text } })).toEqual(
      STRING,
    )
    expect(member({ $ref: '#/$defs/a~1b%20c' }, { $defs: { 'a/b c': text } })).toEqual(STRING)
  })

  it.each(['#/$defs/gone', 'https://example.org/schema', '#anchor'])(
    'takes the reference %s, which leads nowhere, for anything',
    ($ref) => {
      expect(member({ $ref })).toEqual(anything)
    },
  )

  it('ends references that hold themselves', () => {
    const node = { type: 'object', properties: { value: text, next: { $ref: '#/$defs/node' } } }

    const made = member({ $ref: '#/$defs/node' }, { $defs: { node } })

    expect(made).toEqual({
      type: 'OBJECT',
      properties: {
        value: STRING,
        next: { type: 'OBJECT', properties: { value: STRING, next: { type: 'OBJECT' } } },
      },
    })
  })

  it.each<[string, JsonObject]>([
    ['a reference to itself', { $ref: '#' }],
    ['references in a ring', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['allOf of itself', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
    [
      'a tree that branches without end',
      {
        $defs: {
          t: {
            type: 'object',
            properties: Object.fromEntries([...'abcdefghij'].map((name) => [name, { $ref: `#/$defs/${name}` }])),
          },
          ...Object.fromEntries([...'abcdefghij'].map((name) => [name, { $ref: '#/$defs/t' }])),
        },
        properties: { root: { $ref: '#/$defs/t' } },
      },
    ],
    ['nesting without end', JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(3000)}{}${'}}'.repeat(3000)}`)],
    [
      'thousands of alternatives',
      { properties: { x: { anyOf: Array.from({ length: 9000 }, (_, at) => ({ const: `v${at}` })) } } },
    ],
  ])('is bounded for %s', (_what, schema) => {
    const made = JSON.stringify(geminiSchema(schema))

    expect(made.length).toBeLessThan(400_000)
    expect(made).not.toContain('$ref')
  })

  it('takes the members of alternatives at its top, and needs what all of them need', () => {
    const made = geminiSchema({
      anyOf: [
        { type: 'object', properties: { kind: { const: 'a' }, a: text }, required: ['kind', 'a'] },
        { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
      ],
    })

    expect(made).toEqual({
      type: 'OBJECT',
      properties: {
        kind: {
          anyOf: [
            { type: 'STRING', format: 'enum', enum: ['a'] },
            { type: 'STRING', format: 'enum', enum: ['b'] },
          ],
        },
        a: STRING,
      },
      required: ['kind'],
    })
    const narrowed = {
      type: 'object',
      properties: { a: text, b: text },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    }
    expect(geminiSchema(narrowed)).toEqual({ type: 'OBJECT', properties: { a: STRING, b: STRING } })
  })

  it('says what zod says', () => {
    const schema = z.object({
      path: z.string().min(1).describe('Where.'),
      depth: z.int().min(0).max(9).optional(),
      mode: z.enum(['fast', 'deep']).default('fast'),
      note: z.string().nullable(),
      filter: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('name'), name: z.string() }),
        z.object({ kind: z.literal('size'), bytes: z.number() }),
      ]),
      labels: z.record(z.string(), z.string()).optional(),
    })

    expect(ofZod(schema)).toEqual({
      type: 'OBJECT',
      properties: {
        path: { type: 'STRING', description: 'Where.', minLength: '1' },
        depth: { type: 'INTEGER', minimum: 0, maximum: 9 },
        mode: { type: 'STRING', format: 'enum', enum: ['fast', 'deep'] },
        note: { type: 'STRING', nullable: true },
        filter: {
          anyOf: [
            {
              type: 'OBJECT',
              properties: { kind: { type: 'STRING', format: 'enum', enum: ['name'] }, name: STRING },
              required: ['kind', 'name'],
            },
            {
              type: 'OBJECT',
              properties: { kind: { type: 'STRING', format: 'enum', enum: ['size'] }, bytes: { type: 'NUMBER' } },
              required: ['kind', 'bytes'],
            },
          ],
        },
        labels: { type: 'OBJECT' },
      },
      required: ['path', 'note', 'filter'],
    })
  })

  it('keeps a member of any name', () => {
    const properties = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"$ref":{"type":"string"}}',
    )

    expect(Object.keys(geminiSchema({ properties }).properties ?? {})).toEqual(['__proto__', 'constructor', '$ref'])
  })
})
