import { type Message, type ToolUseBlock, textBlock, userMessage } from '@looprig/core'
import type { Model } from '@looprig/inference'
import { createGeminiCodec } from '@looprig/inference/gemini'
import { describe, expect, it } from 'vitest'
import { assistant, toolResult } from '../../support/encode-chat.ts'
import { decodeFixture, encodeGemini, fixtureText, second, third } from './gemini.ts'

const call = (id: string, name = 'Now', input = {}): ToolUseBlock => ({ type: 'tool_use', id, name, input })
const png = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const

const contentsOf = (...messages: readonly Message[]) => encodeGemini({ messages }).contents

/** The content that a decoded answer becomes in the next request. */
async function replayed(name: string, model: Model = second): Promise<unknown> {
  const { response } = await decodeFixture(name)
  return encodeGemini({ model, messages: [response.message] }).contents[0]
}

/** The parts of the whole response of a fixture. */
const partsOf = (name: string): unknown[] => JSON.parse(fixtureText(`${name}.json`)).candidates[0].content.parts

describe('a history on the Gemini protocol', () => {
  it.each(['calls-with-ids', 'unknown-parts', 'picture'])(
    'sends the parts of %s back exactly as they came',
    async (name) => {
      expect(await replayed(name)).toEqual({ role: 'model', parts: partsOf(name) })
    },
  )

  it('sends signed parts back exactly as they came, and drops thoughts without a signature', async () => {
    expect(await replayed('signed-parts')).toEqual({ role: 'model', parts: partsOf('signed-parts').slice(0, -1) })
    expect(await replayed('thoughts-text')).toEqual({ role: 'model', parts: partsOf('thoughts-text').slice(1) })
  })

  it('sends no id that the provider did not give, and the results in one content in the order of the calls', async () => {
    const { response } = await decodeFixture('parallel-calls')
    const [a = '', b = '', c = ''] = response.toolCalls.map(({ toolUseId }) => toolUseId)
    const results = [
      toolResult(c, textBlock('C')),
      toolResult(a, textBlock('A')),
      { ...toolResult(b, textBlock('B')), isError: true },
    ]

    const contents = contentsOf(userMessage('Go'), response.message, ...results, userMessage('On'))

    expect(contents).toEqual([
      { role: 'user', parts: [{ text: 'Go' }] },
      {
        role: 'model',
        parts: [
          { text: 'Reading.' },
          { functionCall: { name: 'ReadFile', args: { path: 'a.txt' } }, thoughtSignature: 'U0lHLUE=' },
          { functionCall: { name: 'ReadFile', args: { path: 'b.txt' } } },
          { functionCall: { name: 'Now', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'ReadFile', response: { output: 'A' } } },
          { functionResponse: { name: 'ReadFile', response: { error: 'B' } } },
          { functionResponse: { name: 'Now', response: { output: 'C' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'On' }] },
    ])
  })

  it('answers a call under the id that the provider gave it', async () => {
    const { response } = await decodeFixture('calls-with-ids')

    const contents = contentsOf(
      response.message,
      toolResult('wire-2', textBlock('2')),
      toolResult('wire-1', textBlock('1')),
    )

    expect(contents[1]?.parts).toEqual([
      { functionResponse: { id: 'wire-1', name: 'Now', response: { output: '1' } } },
      { functionResponse: { id: 'wire-2', name: 'Now', response: { output: '2' } } },
    ])
  })

  it('has as many results as calls, whatever is missing', () => {
    const error = 'There is no result of this call: it was interrupted.'

    expect(
      contentsOf(assistant(call('a'), call('b', 'Grep')), toolResult('b', textBlock('B')), userMessage('On')),
    ).toEqual([
      {
        role: 'model',
        parts: [{ functionCall: { name: 'Now', args: {} } }, { functionCall: { name: 'Grep', args: {} } }],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'Now', response: { error } } },
          { functionResponse: { name: 'Grep', response: { output: 'B' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'On' }] },
    ])
  })

  it('pairs results by step, where ids are used again', () => {
    const messages = [
      assistant(call('call_0', 'First')),
      toolResult('call_0', textBlock('1')),
      assistant(call('call_0', 'Second')),
      toolResult('call_0', textBlock('2')),
    ]

    expect(JSON.stringify(contentsOf(...messages))).toMatch(/"First","response".*"1".*"Second","response".*"2"/)
  })

  it('tells a result whose call is gone as text, after those of the step', () => {
    const contents = contentsOf(
      assistant(call('a')),
      toolResult('lost', textBlock('42')),
      toolResult('a', textBlock('A')),
    )

    expect(contents.slice(1)).toEqual([
      { role: 'user', parts: [{ functionResponse: { name: 'Now', response: { output: 'A' } } }] },
      {
        role: 'user',
        parts: [{ text: '[The result of a tool call that is no longer part of this conversation:]\n42' }],
      },
    ])
  })

  it('sends the first call of every step of another model with the placeholder that the third generation wants', () => {
    const foreign = { state: { format: 'openai-responses', data: { thoughtSignature: 'FOREIGN' } } } as const
    const messages = [assistant({ ...call('a'), ...foreign }, call('b'))]

    expect(encodeGemini({ model: third, messages }).contents[0]?.parts).toEqual([
      { functionCall: { name: 'Now', args: {} }, thoughtSignature: 'skip_thought_signature_validator' },
      { functionCall: { name: 'Now', args: {} } },
    ])
    expect(encodeGemini({ model: second, messages }).contents[0]?.parts).toEqual([
      { functionCall: { name: 'Now', args: {} } },
      { functionCall: { name: 'Now', args: {} } },
    ])
  })

  it('keeps the own signature of a call where the third generation wants one', async () => {
    const parts = partsOf('calls-with-ids')

    expect(await replayed('calls-with-ids', third)).toEqual({ role: 'model', parts })
  })

  it.each([
    ['a seal of another protocol', { seal: { format: 'anthropic', signature: 'SIG' } }],
    ['a state of another protocol', { state: { format: 'openai-responses', data: { thoughtSignature: 'SIG' } } }],
    ['a state of a wrong shape', { state: { format: 'gemini', data: ['SIG'] } }],
  ])('never sends thinking with %s', (_what, priv) => {
    const message = assistant({ type: 'thinking', text: 'Secret plan', ...priv }, { ...textBlock('Hi') })

    expect(contentsOf(message)).toEqual([{ role: 'model', parts: [{ text: 'Hi' }] }])
  })

  it('sends nothing for messages with nothing in them', () => {
    expect(contentsOf(userMessage(''), assistant(), assistant(textBlock('')), userMessage('Hi'))).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
    ])
    expect(contentsOf()).toEqual([])
  })

  it('puts media of a result beside all results, or inside where the model takes that', () => {
    const messages = [
      assistant(call('a'), call('b')),
      toolResult('a', textBlock('Here'), png),
      toolResult('b', textBlock('B')),
    ]
    const inlineData = { mimeType: 'image/png', data: 'AAAA' }

    expect(encodeGemini({ model: second, messages }).contents[1]?.parts).toEqual([
      { functionResponse: { name: 'Now', response: { output: 'Here' } } },
      { functionResponse: { name: 'Now', response: { output: 'B' } } },
      { inlineData },
    ])
    expect(encodeGemini({ model: third, messages }).contents[1]?.parts).toEqual([
      { functionResponse: { name: 'Now', response: { output: 'Here' }, parts: [{ inlineData }] } },
      { functionResponse: { name: 'Now', response: { output: 'B' } } },
    ])
  })

  it('replays a name that a model made up in letters that the provider takes, the same in its result', () => {
    const messages = [assistant(call('a', '1 bad/name')), toolResult('a', textBlock('no such tool'))]

    expect(contentsOf(...messages)).toMatchObject([
      { parts: [{ functionCall: { name: '_1_bad_name' } }] },
      { parts: [{ functionResponse: { name: '_1_bad_name' } }] },
    ])
  })

  it('writes text that every provider can read', () => {
    expect(contentsOf(userMessage('cut \ud83d'))).toEqual([{ role: 'user', parts: [{ text: 'cut \ufffd' }] }])
  })

  it('writes the messages of the last request the same again, so that a cache of them holds', async () => {
    const { response } = await decodeFixture('calls-with-ids')
    const codec = createGeminiCodec()
    const earlier = [userMessage('Go'), response.message, toolResult('wire-1'), toolResult('wire-2')]
    const bodyOf = (messages: readonly Message[]) => JSON.parse(codec.encode({ model: third, messages }, 'stream').body)

    const before = JSON.stringify(bodyOf(earlier).contents)
    const after = JSON.stringify(bodyOf([...earlier, assistant(textBlock('Done.'))]).contents)

    expect(after.startsWith(before.slice(0, -1))).toBe(true)
  })
})
