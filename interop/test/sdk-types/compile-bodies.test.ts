import type { JsonObject } from '@looprig/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { CheckedBodies } from '../../src/sdk-types/checked-bodies.ts'
import { bodiesOf, type DialectName, dialectName, dialects, type WireBody } from '../../src/wire-body.ts'

/** Ways to be wrong that a type must notice, at the top and far down. */
const wrongs: readonly Wrong[] = [
  { wrong: 'a member that nobody knows', of: (body) => ({ ...body, colour: 'red' }) },
  { wrong: 'a text that is a number', of: (body) => replaced(body, /^Hello\.$/, 7) },
  { wrong: 'a name that is a number', of: (body) => replaced(body, /^time$/, 7) },
  // the SDK of Gemini takes any text for a role
  { wrong: 'another role', of: (body) => replaced(body, /^user$/, 'robot'), except: 'gemini' },
  { wrong: 'a schema that is a text', of: (body) => withoutSchemas(body) },
]

interface Wrong {
  readonly wrong: string
  readonly of: (body: JsonObject) => JsonObject
  readonly except?: DialectName
}

const cases = dialects.flatMap((dialect) =>
  wrongs
    .filter(({ except }) => except !== dialectName(dialect))
    .map(({ wrong, of }) => ({ title: `${wrong}, in ${dialectName(dialect)}`, dialect, of })),
)

describe('the check of bodies', () => {
  const bodies = new CheckedBodies()

  beforeAll(async () => {
    for (const { title, dialect, of } of cases) {
      await bodies.add(title, () =>
        bodiesOf('', dialect, request).map((wire): WireBody => ({ ...wire, body: of(wire.body) })),
      )
    }
    await bodies.compile()
  }, 300_000)

  it.each(cases)('notices $title', ({ title }) => {
    expect(bodies.faultsOf(title)).toHaveLength(2)
  })
})

const inputSchema = { type: 'object', properties: { city: { type: 'string' } } }

const request = {
  model: { provider: 'own', name: 'model-1', capabilities: { tools: true } },
  messages: [{ role: 'user' as const, blocks: [{ type: 'text' as const, text: 'Hello.' }] }],
  tools: [{ name: 'time', description: 'Tells the time.', inputSchema }],
}

function replaced(body: JsonObject, value: RegExp, by: string | number): JsonObject {
  return JSON.parse(JSON.stringify(body), (_key, each: unknown) =>
    typeof each === 'string' && value.test(each) ? by : each,
  )
}

/** Where a tool has its schema is another place in each protocol; there, nothing but an object is taken. */
function withoutSchemas(body: JsonObject): JsonObject {
  const names = new Set(['parameters', 'input_schema', 'inputSchema'])
  return JSON.parse(JSON.stringify(body), (key, each: unknown) => (names.has(key) ? 'a text' : each))
}
