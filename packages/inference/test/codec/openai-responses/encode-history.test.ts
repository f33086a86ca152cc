import { type Message, type ToolUseBlock, textBlock, userMessage } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { ableModel, assistant, toolResult } from '../../support/encode-chat.ts'
import { decodeFixture, encodeResponses } from './responses.ts'

const call = (id: string, name = 'Now', input = {}): ToolUseBlock => ({ type: 'tool_use', id, name, input })

const inputOf = (...messages: readonly Message[]): readonly unknown[] => encodeResponses({ messages }).input

/** A history that goes on after a decoded answer. */
async function replayed(name: string, ...results: readonly Message[]): Promise<readonly unknown[]> {
  const { response } = await decodeFixture(name)
  return inputOf(userMessage('Go'), response.message, ...results).slice(1)
}

describe('a history on the Responses protocol', () => {
  it('sends reasoning, comment and calls back as they came, each in its place', async () => {
    const results = [toolResult('call_a', textBlock('A')), toolResult('call_b', textBlock('B'))]

    expect(await replayed('reasoning-comment-calls', ...results)).toEqual([
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: '**Two files**\n\nBoth must be read 📖.' }],
        encrypted_content: 'ENC-1',
      },
      { role: 'assistant', content: 'Grüße 👋🏽, 東京 — reading both.', phase: 'commentary' },
      { type: 'function_call', call_id: 'call_a', name: 'ReadFile', arguments: '{"path":"a.txt"}' },
      { type: 'function_call', call_id: 'call_b', name: 'ReadFile', arguments: '{"path":"b.txt"}' },
      { type: 'function_call_output', call_id: 'call_a', output: 'A' },
      { type: 'function_call_output', call_id: 'call_b', output: 'B' },
    ])
  })

  it('sends an item that it does not know back between the reasoning before it and what followed', async () => {
    expect(await replayed('unknown-items')).toEqual([
      { type: 'reasoning', id: 'rs_10', summary: [], encrypted_content: 'ENC-10' },
      { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'lark' } },
      { role: 'assistant', content: 'A bird.', phase: 'final_answer' },
    ])
  })

  it('sends the call of a custom tool and its result back in their own form', async () => {
    const results = [toolResult('call_c', textBlock('1')), toolResult('call_o', textBlock('no such tool'))]

    expect(await replayed('custom-tools', ...results)).toEqual([
      { type: 'custom_tool_call', call_id: 'call_c', name: 'write_sql', input: 'SELECT 1' },
      { type: 'custom_tool_call', call_id: 'call_o', name: 'note', input: '{"looks":"like an object"}' },
      { type: 'custom_tool_call_output', call_id: 'call_c', output: '1' },
      { type: 'custom_tool_call_output', call_id: 'call_o', output: 'no such tool' },
    ])
  })

  it('drops reasoning that is not encrypted', async () => {
    expect(await replayed('rotating-ids')).toEqual([{ role: 'assistant', content: '2' }])
  })

  it('drops reasoning that nothing follows, which the provider refuses', () => {
    const state = { format: 'openai-responses', data: { id: 'rs', encrypted_content: 'ENC' } } as const

    expect(inputOf(assistant(textBlock('Hi'), { type: 'thinking', text: '', state }))).toEqual([
      { role: 'assistant', content: 'Hi' },
    ])
  })

  it.each([
    ['a seal of another protocol', { seal: { format: 'anthropic', signature: 'SIG' } }],
    ['a state of another protocol', { state: { format: 'gemini', data: { encrypted_content: 'ENC' } } }],
    ['a state of a wrong shape', { state: { format: 'openai-responses', data: 'ENC' } }],
  ])('never sends thinking with %s', (_what, priv) => {
    const input = inputOf(assistant({ type: 'thinking', text: 'Secret plan', ...priv }, textBlock('Hi')))

    expect(input).toEqual([{ role: 'assistant', content: 'Hi' }])
  })

  it('never sends the state of another protocol with a text or a call', () => {
    const state = { format: 'gemini', data: { thoughtSignature: 'SIG', custom: true, phase: 'commentary' } } as const
    const message = assistant({ ...textBlock('Hi'), state }, { ...call('c1'), state })

    expect(JSON.stringify(inputOf(message))).not.toMatch(/SIG|custom|phase/)
  })

  it('joins texts that belong together and parts those of another phase', () => {
    const phase = (name: string) => ({ state: { format: 'openai-responses', data: { phase: name } } })
    const message = assistant(
      textBlock('a'),
      textBlock('b'),
      { ...textBlock('c'), ...phase('commentary') },
      { ...textBlock('d'), ...phase('final_answer') },
    )

    expect(inputOf(message)).toEqual([
      { role: 'assistant', content: 'ab' },
      { role: 'assistant', content: 'c', phase: 'commentary' },
      { role: 'assistant', content: 'd', phase: 'final_answer' },
    ])
  })

  it('sends a refusal back as a text of its own, and an empty one not at all', () => {
    expect(inputOf(assistant({ type: 'refusal', text: 'I will not.' }))).toEqual([
      { role: 'assistant', content: 'I will not.' },
    ])
    expect(inputOf(assistant({ type: 'refusal', text: '' }))).toEqual([])
  })

  it('sends an answer with nothing in it not at all', () => {
    expect(inputOf(userMessage('Hi'), assistant(), userMessage('Still there?'))).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Still there?' },
    ])
  })

  it('gives calls of different steps that share an id ids of their own, and their results the same', () => {
    const step = [assistant(call('call_0')), toolResult('call_0', textBlock('done'))]

    const input = inputOf(...step, assistant(call('call_0'), call('x')), toolResult('call_0'), toolResult('x'))

    expect(input.map((item) => (item as { call_id?: string }).call_id)).toEqual([
      'call_0',
      'call_0',
      'call_0-2',
      'x',
      'call_0-2',
      'x',
    ])
  })

  it('shortens an id that is too long, the same in the call and its result', () => {
    const id = 'toolu_'.repeat(30)

    const [sent, result] = inputOf(assistant(call(id)), toolResult(id, textBlock('ok'))) as { call_id: string }[]

    expect(sent?.call_id.length).toBeLessThanOrEqual(64)
    expect(result?.call_id).toBe(sent?.call_id)
  })

  it('gives a call without a result one that says so, before whatever follows', () => {
    const input = inputOf(assistant(call('a'), call('b')), toolResult('b', textBlock('B')), userMessage('Go on'))

    expect(input.slice(2)).toEqual([
      {
        type: 'function_call_output',
        call_id: 'a',
        output: '[There is no result of this call: it was interrupted.]',
      },
      { type: 'function_call_output', call_id: 'b', output: 'B' },
      { role: 'user', content: 'Go on' },
    ])
  })

  it('sends results in the order of their calls, with nothing between', () => {
    const results = [toolResult('b', textBlock('B')), toolResult('lost'), toolResult('a', textBlock('A'))]

    expect(inputOf(assistant(call('a'), call('b')), ...results).slice(2)).toMatchObject([
      { call_id: 'a', output: 'A' },
      { call_id: 'b', output: 'B' },
      { role: 'user' },
    ])
  })

  it('tells a result whose call is gone as text', () => {
    expect(inputOf(toolResult('lost', textBlock('42')))).toEqual([
      { role: 'user', content: '[The result of a tool call that is no longer part of this conversation:]\n42' },
    ])
  })

  it('replays a name that a model made up in letters that the provider takes, and that of a tool as it is', () => {
    const tools = [{ name: 'fs.read', description: '', inputSchema: {} }]
    const messages = [assistant(call('a', 'multi_tool.parallel'), call('b', 'fs.read'))]

    const { input } = encodeResponses({ tools, messages })

    expect(input.map(({ name }) => name).slice(0, 2)).toEqual(['multi_tool_parallel', 'fs.read'])
  })

  it('writes text that every provider can read', () => {
    expect(inputOf(userMessage('cut \ud83d'), toolResult('a', textBlock('\udc00')))).toMatchObject([
      { content: 'cut \ufffd' },
      { content: expect.stringContaining('\ufffd') },
    ])
  })

  it('writes the messages of the last request the same again, so that a cache of them holds', async () => {
    const { response } = await decodeFixture('reasoning-comment-calls')
    const earlier = [userMessage('Go'), response.message, toolResult('call_a'), toolResult('call_b')]

    const before = JSON.stringify(encodeResponses({ messages: earlier }).input)
    const after = JSON.stringify(encodeResponses({ messages: [...earlier, assistant(textBlock('Done.'))] }).input)

    expect(after.startsWith(before.slice(0, -1))).toBe(true)
  })

  it('refuses what an assistant message cannot hold', () => {
    const picture = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const

    expect(() => inputOf(assistant(picture))).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('an assistant message') }),
    )
  })

  it('writes no input as a list', () => {
    expect(encodeResponses({ model: ableModel, messages: [] }).input).toEqual([])
  })
})
