import { type Message, type TranscriptIssue, textBlock, userMessage, validateTranscript } from '@looprig/core'
import {
  assistantMessage,
  errorResultMessage,
  resultMessage,
  systemMessage,
  thinkingBlock,
  toolUseBlock,
  wholeBlocks,
} from '@looprig/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraries } from '../support/arbitraries.ts'

const call = (id: string, name = 'f') => toolUseBlock(id, name)
const ok = (id: string) => resultMessage(id, 'ok')
const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const

describe('validateTranscript', () => {
  it.each<[string, Message[]]>([
    ['an empty transcript', []],
    ['a question and an answer', [userMessage('Hi'), assistantMessage('Hello')]],
    ['parallel calls answered in order', [userMessage('Hi'), assistantMessage(call('a'), call('b')), ok('a'), ok('b')]],
    [
      'an id that comes again in a later message',
      [
        assistantMessage(call('call_0')),
        ok('call_0'),
        assistantMessage(call('call_0')),
        errorResultMessage('call_0', 'no'),
      ],
    ],
    [
      'media in messages and results',
      [{ role: 'user', blocks: [image] }, assistantMessage(image, call('a')), resultMessage('a', image)],
    ],
    ['an empty refusal', [userMessage('Hi'), assistantMessage({ type: 'refusal', text: '' })]],
    ['a result without content', [assistantMessage(call('a')), resultMessage('a')]],
    ['a system message anywhere', [userMessage('Hi'), systemMessage('Be brief.'), assistantMessage('Hello')]],
  ])('finds nothing in %s', (_what, messages) => {
    expect(validateTranscript(messages)).toEqual([])
  })

  it.each<[string, Message[], TranscriptIssue[]]>([
    [
      'calls without results at the end',
      [assistantMessage('x', call('a'), call('b')), ok('a')],
      [{ code: 'orphan_tool_call', index: 0, blockIndex: 2 }],
    ],
    [
      'a call that a user message cut off from its result',
      [assistantMessage(call('a')), userMessage('well?'), ok('a')],
      [
        { code: 'orphan_tool_call', index: 0, blockIndex: 0 },
        { code: 'late_tool_result', index: 2 },
      ],
    ],
    ['a result of no call', [userMessage('Hi'), ok('a')], [{ code: 'orphan_tool_result', index: 1 }]],
    [
      'a result before its call',
      [ok('a'), assistantMessage(call('a')), ok('a')],
      [{ code: 'result_before_call', index: 0 }],
    ],
    ['a second result', [assistantMessage(call('a')), ok('a'), ok('a')], [{ code: 'duplicate_tool_result', index: 2 }]],
    [
      'results in the order of completion',
      [assistantMessage(call('a'), call('b'), call('c')), ok('c'), ok('a'), ok('b')],
      [{ code: 'result_out_of_order', index: 1 }],
    ],
    [
      'two calls with one id',
      [assistantMessage(call('x'), call('x')), ok('x'), ok('x')],
      [{ code: 'duplicate_tool_use_id', index: 0, blockIndex: 1 }],
    ],
    [
      'a call without id or name',
      [assistantMessage(call('', '')), ok('')],
      [
        { code: 'missing_tool_use_id', index: 0, blockIndex: 0 },
        { code: 'missing_tool_name', index: 0, blockIndex: 0 },
      ],
    ],
    ['an empty user message', [{ role: 'user', blocks: [] }], [{ code: 'empty_message', index: 0 }]],
    ['an assistant message without blocks', [assistantMessage()], [{ code: 'empty_assistant', index: 0 }]],
    [
      'an assistant message of nothing but thinking',
      [assistantMessage(thinkingBlock('hm', 'anthropic'), '')],
      [{ code: 'empty_assistant', index: 0 }],
    ],
    [
      'a picture that is none',
      [{ role: 'user', blocks: [textBlock('look'), { type: 'image', mediaType: 'image/png' }] }],
      [{ code: 'invalid_media', index: 0, blockIndex: 1 }],
    ],
  ])('finds %s', (_what, messages, issues) => {
    expect(validateTranscript(messages)).toEqual(issues)
  })

  it.each<[Message['role'], readonly string[]]>([
    ['system', ['text']],
    ['user', ['text', 'image', 'audio', 'document']],
    ['assistant', ['text', 'refusal', 'thinking', 'tool_use', 'image', 'audio', 'document']],
    ['tool', ['text', 'image', 'audio', 'document']],
  ])('knows which blocks a %s message has', (role, types) => {
    const placed = Object.values(wholeBlocks).filter((block) => {
      const message = { role, blocks: [block], toolUseId: 'x', isError: false } as Message // proved: it has what every role has
      return !validateTranscript([message]).some((issue) => issue.code === 'misplaced_block')
    })

    expect(new Set(placed.map((block) => block.type))).toEqual(new Set(types))
  })

  it.each<[string, Message[], TranscriptIssue[]]>([
    ['nothing at all', [], [{ code: 'unanswerable_end', index: 0 }]],
    [
      'an end that nobody answers',
      [userMessage('Hi'), assistantMessage('Hello')],
      [{ code: 'unanswerable_end', index: 1 }],
    ],
    [
      'a beginning by the assistant',
      [systemMessage('Be brief.'), assistantMessage('Hello'), userMessage('Hi')],
      [{ code: 'starts_with_assistant', index: 1 }],
    ],
    [
      'two assistant messages in a row',
      [userMessage('Hi'), assistantMessage('a'), assistantMessage('b'), userMessage('c')],
      [{ code: 'consecutive_assistant', index: 2 }],
    ],
    [
      'a system message in the middle',
      [userMessage('Hi'), systemMessage('Be brief.'), userMessage('c')],
      [{ code: 'misplaced_system', index: 1 }],
    ],
    ['an empty text', [userMessage('')], [{ code: 'empty_text', index: 0, blockIndex: 0 }]],
    [
      'an empty result',
      [userMessage('Hi'), assistantMessage(call('a')), resultMessage('a')],
      [{ code: 'empty_result', index: 2 }],
    ],
  ])('finds %s in a request only', (_what, messages, issues) => {
    expect(validateTranscript(messages, { asRequest: true })).toEqual(issues)
    expect(validateTranscript(messages)).toEqual([])
  })

  it('finds nothing in any legal transcript', () => {
    fc.assert(fc.property(arbitraries.transcript(), (messages) => validateTranscript(messages).length === 0))
    fc.assert(
      fc.property(
        arbitraries.transcript({ asRequest: true }),
        (messages) => validateTranscript(messages, { asRequest: true }).length === 0,
      ),
    )
  })

  it('finds the fault of any illegal transcript, as a fault of requests alone where it is one', () => {
    fc.assert(
      fc.property(arbitraries.illegalTranscript, ({ messages, code, asRequest }) => {
        const codes = (strict: boolean) =>
          validateTranscript(messages, { asRequest: strict }).map((issue) => issue.code)

        expect(codes(true)).toContain(code)
        if (asRequest) expect(codes(false)).not.toContain(code)
        else expect(codes(false)).toContain(code)
      }),
      { numRuns: 300 },
    )
  })

  it('judges any messages without throwing, and names places that exist', () => {
    fc.assert(
      fc.property(fc.array(arbitraries.message), (messages) => {
        for (const { index, blockIndex } of validateTranscript(messages, { asRequest: true })) {
          expect(index).toBeLessThan(Math.max(1, messages.length))
          if (blockIndex !== undefined) expect(messages[index]?.blocks[blockIndex]).toBeDefined()
        }
      }),
    )
  })

  it('stays fast for thousands of calls whose results come in reverse', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `call_${index}`)
    const messages = [assistantMessage(...ids.map((id) => call(id))), ...ids.toReversed().map(ok)]

    expect(validateTranscript(messages).length).toBe(9_999)
  }, 5_000)
})
