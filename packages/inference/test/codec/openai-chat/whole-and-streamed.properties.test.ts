import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldStream, foldWhole } from '../../support/chat-fixtures.ts'

/** What a model says, in the order in which a whole response has it. */
interface Said {
  readonly reasoning: string
  readonly content: string
  readonly refusal: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[]
}

const prose = fc.string({ unit: 'grapheme', maxLength: 30 })
const call = fc.record({
  id: fc.oneof(fc.constant(''), fc.string({ minLength: 1, maxLength: 6 })),
  name: fc.string({ minLength: 1, maxLength: 8 }),
  args: fc.oneof(fc.constant(''), fc.json({ maxDepth: 2 }), fc.string({ maxLength: 12 })),
})
/** Fragments of different calls must be told apart: by ids that differ, or, without ids, by an index. */
const calls = fc.uniqueArray(call, { maxLength: 4, selector: ({ id }) => id || Symbol('none') })
const said: fc.Arbitrary<Said> = fc.record({ reasoning: prose, content: prose, refusal: prose, calls })

/** Cuts a text at these shares of its length; a cut may fall into a character of two halves. */
function cut(text: string, shares: readonly number[]): string[] {
  const places = [...new Set(shares.map((share) => Math.floor(share * text.length)))].sort((a, b) => a - b)
  return [0, ...places].map((from, at) => text.slice(from, places[at] ?? text.length)).filter((part) => part !== '')
}

function whole({ reasoning, content, refusal, calls }: Said): string {
  const tool_calls = calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }))
  const message = {
    reasoning_content: reasoning,
    content,
    ...(refusal === '' ? {} : { refusal }),
    ...(calls.length === 0 ? {} : { tool_calls }),
  }
  return JSON.stringify({ id: 'r1', model: 'lark-2', choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
}

function streamed({ reasoning, content, refusal, calls }: Said, shares: readonly number[]): Uint8Array {
  const deltas: object[] = [
    ...cut(reasoning, shares).map((part) => ({ reasoning_content: part })),
    ...cut(content, shares).map((part) => ({ content: part })),
    ...cut(refusal, shares).map((part) => ({ refusal: part })),
    ...calls.flatMap(({ id, name, args }, index) => [
      { tool_calls: [{ index, id, function: { name, arguments: '' } }] },
      ...cut(args, shares).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
  ]
  const frames = [
    ...deltas.map((delta) => ({ id: 'r1', model: 'lark-2', choices: [{ index: 0, delta }] })),
    { id: 'r1', model: 'lark-2', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { id: 'r1', model: 'lark-2', choices: [], usage },
  ]
  return Buffer.from(`${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`)
}

const usage = { prompt_tokens: 7, completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 2 } }

function pieces(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const places = shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b)
  return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))
}

const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const shares = fc.array(share, { maxLength: 6 })

describe('a response', () => {
  it('is the same streamed, however its texts and its bytes are cut, as whole', () => {
    fc.assert(
      fc.property(said, shares, shares, (all, cuts, splits) => {
        expect(foldStream(pieces(streamed(all, cuts), splits))).toEqual(foldWhole(whole(all)))
      }),
      { numRuns: 300 },
    )
  })

  it('is never whole when its stream is cut before the reason', () => {
    fc.assert(
      fc.property(said, shares, share, (all, cuts, at) => {
        const bytes = streamed(all, cuts)
        const reason = Buffer.from(bytes).indexOf('"finish_reason"')

        const { error, response } = foldStream([bytes.subarray(0, Math.floor(at * reason))])

        expect([error, response.finish]).toEqual(['truncated', undefined])
      }),
    )
  })
})
