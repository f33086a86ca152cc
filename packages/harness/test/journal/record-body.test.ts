import type { Schema } from '@looprig/core'
import { newRecord } from '@looprig/store/testing'
import { describe, expect, it } from 'vitest'
import { decodeBody } from '../../src/event/event-codec.ts'
import { inputBodySchema, runBodySchema, runEndBodySchema, stepBodySchema } from '../../src/journal/record-body.ts'

const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
const step = `"loopId":"${uuid(1)}","turnId":"${uuid(2)}","stepId":"${uuid(4)}"`
const result = '{"role":"tool","toolUseId":"c1","isError":true,"blocks":[{"type":"text","text":"no"}]}'
const message =
  '{"role":"assistant","blocks":[{"type":"tool_use","id":"c1","name":"ls","input":{}}],"usage":{"inputTokens":1}}'
const call = `{"executionId":"${uuid(5)}","toolUseId":"c1","name":"ls","argsJson":"{","replaySafe":true`

/** What a journal of version 1 holds beside events. A change here breaks journals. */
const golden: readonly (readonly [string, string, Schema<unknown>])[] = [
  ['input', `{"v":1,"loopId":"${uuid(1)}","agency":"user","blocks":[{"type":"text","text":"go"}]}`, inputBodySchema],
  [
    'step',
    `{"v":1,${step},"message":${message},"calls":[${call},"digest":"ab"},${call},"refused":${result}}]}`,
    stepBodySchema,
  ],
  ['run', `{"v":1,${step},"executionId":"${uuid(5)}"}`, runBodySchema],
  ['run end', `{"v":1,${step},"executionId":"${uuid(5)}","result":${result}}`, runEndBodySchema],
]

function read(body: string, schema: Schema<unknown>): unknown {
  return decodeBody({ ...newRecord('x', body), seq: 3, at: 0 }, schema)
}

describe('decodeBody', () => {
  it.each(golden)('reads the body of %s', (_, body, schema) => {
    const { v: _version, ...fields } = JSON.parse(body)

    expect(read(body, schema)).toEqual(fields)
  })

  it.each(golden)('keeps members of %s that it does not know', (_, body, schema) => {
    const { v: _version, ...fields } = JSON.parse(body)
    const later = { ...fields, later: { kept: true } }

    expect(read(JSON.stringify({ v: 1, ...later }), schema)).toEqual(later)
  })

  it.each(golden)('refuses %s without one of its members', (_, body, schema) => {
    for (const member of Object.keys(JSON.parse(body))) {
      const { [member]: _left, ...rest } = JSON.parse(body)
      const code = member === 'v' ? 'unsupported_version' : 'journal_invalid'

      expect(() => read(JSON.stringify(rest), schema), member).toThrow(expect.objectContaining({ code, seq: 3 }))
    }
  })
})
