import { textBlock, userMessage } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { foldStream, foldText, foldWhole, type Outcome } from '../../support/chat-fixtures.ts'
import { assistant, encodeChat, toolResult } from '../../support/encode-chat.ts'

interface Fragment {
  readonly index?: number
  readonly id?: string
  readonly name?: string
  readonly args?: unknown
}

const deltaOf = ({ index, id, name, args }: Fragment) => ({
  tool_calls: [{ index, id, function: { name, arguments: args } }],
})

const frame = (choice: object): string => `data: ${JSON.stringify({ id: 'r', choices: [choice] })}\n\n`

/** Decodes a stream of fragments that ends with this reason. */
function stream(fragments: readonly Fragment[], reason: string | null = 'tool_calls'): Outcome {
  const frames = fragments.map((fragment) => frame({ delta: deltaOf(fragment) }))
  return foldText(`${frames.join('')}${frame({ delta: {}, finish_reason: reason })}data: [DONE]\n\n`)
}

const callsOf = ({ response }: Outcome) =>
  response.toolCalls.map(({ toolUseId, name, argsJson }) => [toolUseId, name, argsJson])
const inputsOf = ({ response }: Outcome) =>
  response.message.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []))

describe('what servers were seen to send', () => {
  it('A1: parallel calls that all have index 0 are calls of their own', () => {
    const outcome = stream([
      { index: 0, id: 'a', name: 'f', args: '{"n":1}' },
      { index: 0, id: 'b', name: 'f', args: '{"n":2}' },
    ])

    expect(callsOf(outcome)).toEqual([
      ['a', 'f', '{"n":1}'],
      ['b', 'f', '{"n":2}'],
    ])
  })

  it('A3: fragments of two calls that take turns go to the call of their index', () => {
    const outcome = stream([
      { index: 0, id: 'a', name: 'f', args: '{"x":' },
      { index: 1, id: 'b', name: 'f', args: '{"y":' },
      { index: 0, args: '1}' },
      { index: 1, args: '2}' },
    ])

    expect(inputsOf(outcome)).toEqual([{ x: 1 }, { y: 2 }])
  })

  it.each<[string, Fragment]>([
    ['an empty text', { args: '' }],
    ['blanks', { args: '   ' }],
    ['null', { args: null }],
    ['nothing at all', {}],
  ])('A4: %s is no arguments', (_what, { args }) => {
    const outcome = stream([{ index: 0, id: 'a', name: 'now', args }])
    const whole = foldWhole(
      JSON.stringify({
        id: 'r',
        choices: [{ message: deltaOf({ id: 'a', name: 'now', args }), finish_reason: 'tool_calls' }],
      }),
    )

    expect(inputsOf(outcome)).toEqual([{}])
    expect(whole).toEqual(outcome)
  })

  it.each([
    ['length', 'length'],
    ['stop', 'tool_use'],
  ])('A6: arguments that were cut off are never repaired, with the reason %s', (rawReason, reason) => {
    const outcome = stream([{ index: 0, id: 'a', name: 'write', args: '{"path":"a","content":"half' }], rawReason)

    expect(inputsOf(outcome)).toEqual([{}])
    expect(callsOf(outcome)).toEqual([['a', 'write', '{"path":"a","content":"half']])
    expect(outcome.response.finish).toEqual({ reason, rawReason })
  })

  it('A8: two calls with one id have ids of their own, also in what goes back', () => {
    const outcome = foldWhole(
      JSON.stringify({
        choices: [
          {
            message: { tool_calls: [1, 2].map((n) => ({ id: 'x', function: { name: 'f', arguments: `{"n":${n}}` } })) },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    )
    const ids = outcome.response.toolCalls.map(({ toolUseId }) => toolUseId)
    const { message } = outcome.response

    const { messages } = encodeChat({ messages: [message, ...ids.map((id) => toolResult(id, textBlock('ok')))] })

    expect(new Set(ids).size).toBe(2)
    expect(messages[0]?.tool_calls).toMatchObject(ids.map((id) => ({ id })))
    expect(messages.slice(1).map((each) => each.tool_call_id)).toEqual(ids)
  })

  it('A9: ids that begin anew in each turn stay what they are, each with its own result', () => {
    const turn = (name: string) => [
      userMessage('Go'),
      assistant({ type: 'tool_use', id: 'call_0', name, input: {} }),
      toolResult('call_0', textBlock(name)),
    ]

    const { messages } = encodeChat({ messages: [...turn('first'), ...turn('second')] })

    expect(messages.map(({ content, tool_call_id }) => [content, tool_call_id]).filter(([, id]) => id)).toEqual([
      ['first', 'call_0'],
      ['second', 'call_0'],
    ])
  })

  it('H1: characters that are cut anywhere arrive whole', () => {
    const words = '👩‍👩‍👧 Привет, 世界'
    const bytes = Buffer.from(`${frame({ delta: { content: words } })}data: [DONE]\n\n`)

    const outcome = foldStream(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))

    expect(outcome.response.message.blocks).toEqual([textBlock(words)])
  })

  it('H4: no blank after the colon, comments, names, ids and a byte order mark make no difference', () => {
    const text =
      '\ufeff: hello\nid: 1\nretry: 10\nevent:foo\ndata:{"choices":\ndata:[{"delta":{"content":"Hi"}}]}\n\n:keep\n\ndata:[DONE]\n\n'

    expect(foldText(text).response.message.blocks).toEqual([textBlock('Hi')])
  })

  it('H9: half an emoji in a result never reaches the wire', () => {
    const { messages } = encodeChat({ messages: [toolResult('a', textBlock('cut \ud83d'))] })

    expect(messages[0]?.content).toBe('cut \ufffd')
  })

  it.each([['""'], ['null']])('H10: a finish reason %s after text is no clean stop', (reason) => {
    const text = `data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":${reason}}]}\n\n`

    expect(foldText(text).error).toBe('truncated')
    expect(foldText(`${text}data: [DONE]\n\n`).response.finish).toEqual({ reason: 'unknown' })
  })
})
