import { isJsonObject, type JsonObject, type JsonValue, userMessage } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAnthropicCodec } from '../../../src/codec/anthropic-messages/codec.ts'
import { createBedrockCodec } from '../../../src/codec/bedrock-converse/codec.ts'
import { createGeminiCodec } from '../../../src/codec/gemini/codec.ts'
import { createChatCodec } from '../../../src/codec/openai-chat/codec.ts'
import { createResponsesCodec } from '../../../src/codec/openai-responses/codec.ts'
import type { WireApi, WireCodec } from '../../../src/codec/wire-codec.ts'

const codecs: readonly WireCodec<WireApi>[] = [
  createAnthropicCodec(),
  createChatCodec(),
  createResponsesCodec(),
  createGeminiCodec(),
  createBedrockCodec(),
]

const text = { type: 'string' }
const node = {
  type: 'object',
  properties: { name: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
}
const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number() }),
  z.object({ kind: z.literal('square'), side: z.number().optional() }),
])

/** Schemas that made a provider refuse every request of a session. */
const schemas: Readonly<Record<string, JsonObject>> = {
  'J1: needs one of two members': {
    type: 'object',
    properties: { a: text, b: text },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  'J1: alternatives and nothing else': {
    anyOf: [
      { type: 'object', properties: { a: text } },
      { type: 'object', properties: { b: text } },
    ],
  },
  'J1: all of some': { allOf: [{ type: 'object', properties: { a: text } }, { required: ['a'] }] },
  'J3: definitions': { type: 'object', properties: { tree: { $ref: '#/$defs/node' } }, $defs: { node } },
  'J3: a reference with siblings': {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node', description: 'The tree.' } },
    $defs: { node },
  },
  'J3: a reference to a property': { type: 'object', properties: { a: text, b: { $ref: '#/properties/a' } } },
  'J3: a reference at the top': { $ref: '#/$defs/node', $defs: { node } },
  'J3: a reference to itself': { type: 'object', properties: { again: { $ref: '#' } } },
  'J4: a reference to nothing': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/gone' }, b: { anyOf: [{ $ref: '#/definitions/gone' }, text] } },
  },
  'J4: a reference to elsewhere': { type: 'object', properties: { a: { $ref: 'https://example.org/schema.json' } } },
  'J5: nothing': {},
  'J5: no type': { properties: { a: text } },
  'J5: a list of types': { type: 'object', properties: { a: { type: ['string', 'null'] } } },
  'J5: properties of a text': { type: 'string', properties: {} },
  'J5: a list of anything': { type: 'object', properties: { a: { type: 'array' } } },
  'J5: numbers to choose from': { type: 'object', properties: { a: { enum: [1, 2, 3] } } },
  'J7: a union of zod': z.toJSONSchema(shape) as JsonObject, // proved: it is JSON
  'J7: members of zod': z.toJSONSchema(
    z.object({
      shape,
      maybe: z.string().optional(),
      none: z.number().nullable(),
      preset: z.string().default('x'),
      map: z.record(z.string(), z.number()),
    }),
    { io: 'input' },
  ) as JsonObject, // proved: it is JSON
}

const cases = codecs.flatMap((codec) =>
  Object.entries(schemas).map(([name, schema]) => ({ api: codec.api, codec, name, schema })),
)

describe('a tool with a schema that providers refuse', () => {
  it.each(cases)('$name: goes to $api in a form that it takes, and so do the tools beside it', ({ codec, schema }) => {
    const [odd, fine] = declaredBy(codec, schema)

    expect(fine).toMatchObject({ properties: { path: {} } })
    expect(lostReferences(odd, odd)).toEqual([])
    expect(barePlaces(odd, codec.api)).toEqual([])
    expect(isJsonObject(odd) ? String(odd.type).toLowerCase() : 'object').toBe('object')
    for (const combinator of ['anyOf', 'oneOf', 'allOf', '$ref']) expect(odd ?? {}).not.toHaveProperty(combinator)
  })
})

/** What goes over the wire for a tool of the schema and for a plain one. */
function declaredBy(codec: WireCodec<WireApi>, schema: JsonObject): readonly (JsonValue | undefined)[] {
  const plain: JsonObject = { type: 'object', properties: { path: text }, required: ['path'] }
  const { body } = codec.encode(
    {
      model: { provider: 'p', name: 'm', capabilities: { tools: true }, limits: { maxOutputTokens: 10 } },
      messages: [userMessage('Go.')],
      tools: [
        { name: 'odd', description: 'Odd.', inputSchema: schema },
        { name: 'fine', description: 'Fine.', inputSchema: plain },
      ],
    },
    'stream',
  )
  const sent = JSON.parse(body)
  switch (codec.api) {
    case 'anthropic-messages':
      return sent.tools.map((tool: { input_schema: JsonValue }) => tool.input_schema)
    case 'openai-chat':
      return sent.tools.map((tool: { function: { parameters: JsonValue } }) => tool.function.parameters)
    case 'openai-responses':
      return sent.tools.map((tool: { parameters: JsonValue }) => tool.parameters)
    case 'gemini':
      return sent.tools[0].functionDeclarations.map((tool: { parameters: JsonValue }) => tool.parameters)
    case 'bedrock-converse':
      return sent.toolConfig.tools.map(
        (tool: { toolSpec: { inputSchema: { json: JsonValue } } }) => tool.toolSpec.inputSchema.json,
      )
  }
}

function lostReferences(value: JsonValue | undefined, root: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap((part) => lostReferences(part, root))
  if (!isJsonObject(value)) return []
  const { $ref } = value
  const lost = typeof $ref === 'string' && !leadsSomewhere($ref, root) ? [$ref] : []
  return [...lost, ...Object.values(value).flatMap((part) => lostReferences(part, root))]
}

function leadsSomewhere(reference: string, root: JsonValue | undefined): boolean {
  if (!reference.startsWith('#')) return false
  let at = root
  for (const step of reference.split('/').slice(1)) at = isJsonObject(at) ? at[step] : undefined
  return at !== undefined
}

/** Lists without items, and for Gemini everything that its schemas have no word for. */
function barePlaces(value: JsonValue | undefined, api: WireApi): string[] {
  if (Array.isArray(value)) return value.flatMap((part) => barePlaces(part, api))
  if (!isJsonObject(value)) return []
  const isBare = String(value.type).toLowerCase() === 'array' && value.items === undefined
  const foreign = api === 'gemini' ? ['$ref', '$defs', 'oneOf', 'allOf', 'additionalProperties', 'const'] : []
  const found = [...(isBare ? ['items'] : []), ...foreign.filter((keyword) => Object.hasOwn(value, keyword))]
  return [...found, ...Object.values(value).flatMap((part) => barePlaces(part, api))]
}
