import { type Block, type Message, textBlock, userMessage } from '@looprig/core'
import {
  assistantMessage,
  errorResultMessage,
  resultMessage,
  systemMessage,
  thinkingBlock,
  toolUseBlock,
} from '@looprig/core/testing'
import {
  adaptTranscript,
  type TranscriptChange,
  type TranscriptRules,
  transcriptAdapter,
  transcriptRules,
} from '@looprig/inference'
import { describe, expect, it } from 'vitest'

const anthropic = transcriptRules('anthropic-messages', { images: true, documents: true })
const chat = transcriptRules('openai-chat', { images: true, documents: true })
const alternating: TranscriptRules = { ...chat, target: 'alternating', consecutiveRoles: 'merge', beginning: 'user' }
const hi = userMessage('Hi')
const state = { format: 'gemini', data: { thoughtSignature: 'c2ln' } }
const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const

/** What becomes of an answer with these blocks, between two user messages. */
function answer(blocks: readonly Block[], target: TranscriptRules) {
  const { messages, changes } = adaptTranscript([hi, { role: 'assistant', blocks }, hi], target)
  return { blocks: messages.find(({ role }) => role === 'assistant')?.blocks, changes }
}

const change = (
  index: number,
  done: TranscriptChange['change'],
  reason: TranscriptChange['reason'],
  blockIndex?: number,
) => (blockIndex === undefined ? { index, change: done, reason } : { index, blockIndex, change: done, reason })

describe('thinking', () => {
  it('goes back to the one who sealed it, untouched and in its place', () => {
    const blocks = [
      thinkingBlock('a', 'anthropic'),
      toolUseBlock('1', 'f'),
      { type: 'thinking', text: '', state: { format: 'anthropic-redacted-thinking', data: 'b3BhcXVl' } } as const,
      toolUseBlock('2', 'f'),
    ]
    const history = [hi, { role: 'assistant', blocks } as const, resultMessage('1', 'x'), resultMessage('2', 'y')]

    const { messages, changes } = adaptTranscript(history, anthropic)

    expect(changes).toEqual([])
    expect(messages[1]).toBe(history[1])
  })

  it.each([
    [chat, 'foreign_thinking'],
    [transcriptRules('bedrock-converse'), 'foreign_thinking'],
  ] as const)('of another provider is dropped', (target, reason) => {
    expect(answer([thinkingBlock('a', 'anthropic'), textBlock('b')], target)).toEqual({
      blocks: [textBlock('b')],
      changes: [change(1, 'block_dropped', reason, 0)],
    })
  })

  it('without a seal is dropped for a target that wants its own, and kept for one that does not', () => {
    const blocks = [thinkingBlock('a'), textBlock('b')]

    expect(answer(blocks, anthropic)).toEqual({
      blocks: [textBlock('b')],
      changes: [change(1, 'block_dropped', 'unsealed_thinking', 0)],
    })
    expect(answer(blocks, chat)).toEqual({ blocks, changes: [] })
  })

  it('loses only the part that is not of the target', () => {
    const sealed = thinkingBlock('a', 'anthropic')

    expect(answer([{ ...sealed, state }, textBlock('b')], anthropic)).toEqual({
      blocks: [sealed, textBlock('b')],
      changes: [change(1, 'state_removed', 'foreign_state', 0)],
    })
  })

  it('of which nothing is left takes its message along', () => {
    const { messages, changes } = adaptTranscript([hi, assistantMessage(thinkingBlock('a', 'anthropic')), hi], chat)

    expect(messages).toEqual([hi, hi])
    expect(changes).toEqual([change(1, 'message_dropped', 'empty'), change(1, 'block_dropped', 'foreign_thinking', 0)])
  })
})

describe('provider state', () => {
  it('of another provider is taken off texts, refusals and calls, which stay', () => {
    const history: Message[] = [
      hi,
      {
        role: 'assistant',
        blocks: [
          { type: 'text', text: 'a', state },
          { type: 'refusal', text: 'b', state },
          { ...toolUseBlock('1', 'f'), state },
        ],
      },
      resultMessage('1', 'ok'),
    ]

    const { messages, changes } = adaptTranscript(history, chat)

    expect(messages[1]).toEqual(assistantMessage('a', { type: 'refusal', text: 'b' }, toolUseBlock('1', 'f')))
    expect(changes).toEqual([0, 1, 2].map((at) => change(1, 'state_removed', 'foreign_state', at)))
  })

  it('of the target stays, also on a text without text', () => {
    const blocks = [{ type: 'text', text: '', state } as const, textBlock('a')]

    expect(answer(blocks, transcriptRules('gemini'))).toEqual({ blocks, changes: [] })
  })
})

describe('calls and results', () => {
  it('get legal ids, the same in the call and its result, and no two calls of a history the same', () => {
    const call = (id: string) => assistantMessage(toolUseBlock(id, 'f'))
    const history = [
      hi,
      call('call_0'),
      resultMessage('call_0', 'a'),
      call('call_0'),
      resultMessage('call_0', 'b'),
      call('ü'),
      resultMessage('ü', 'c'),
    ]

    const { messages, changes } = adaptTranscript(history, anthropic)

    const ids = messages.flatMap((message) => (message.role === 'tool' ? [message.toolUseId] : []))
    expect(ids[0]).toBe('call_0')
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^[\w-]+$/)
    expect(changes).toEqual([
      change(3, 'id_renamed', 'duplicate_tool_id', 0),
      change(5, 'id_renamed', 'illegal_tool_id', 0),
    ])
  })

  it('get ids of exactly nine letters and digits where a target wants that', () => {
    const mistral = { ...chat, toolIds: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9 } }

    const { messages } = adaptTranscript(
      [hi, assistantMessage(toolUseBlock('toolu_01A', 'f')), resultMessage('toolu_01A', 'x')],
      mistral,
    )

    expect(messages[2]).toMatchObject({ role: 'tool', toolUseId: expect.stringMatching(/^[a-zA-Z0-9]{9}$/) })
  })

  it('give the same ids for the same history, so that a cache of the provider still fits', () => {
    const history = [hi, assistantMessage(toolUseBlock('ü', 'f')), resultMessage('ü', 'x')]

    expect(adaptTranscript(history, anthropic)).toEqual(adaptTranscript(structuredClone(history), anthropic))
  })

  it('get legal names, the same for the same tool', () => {
    const calls = ['web.search', 'web_search', 'web.search', '1st tool', '工具', '']
    const history = [
      hi,
      assistantMessage(...calls.map((name, index) => toolUseBlock(`${index}`, name))),
      ...calls.map((_, index) => resultMessage(`${index}`, 'x')),
    ]

    const { messages, changes } = adaptTranscript(history, chat)

    const names = messages[1]?.blocks.map((block) => (block.type === 'tool_use' ? block.name : ''))
    expect(names?.slice(0, 4)).toEqual(['web_search', 'web_search', 'web_search', '1st_tool'])
    for (const name of names ?? []) expect(name).toMatch(/^[\w-]{1,64}$/)
    expect(changes.map(({ blockIndex }) => blockIndex)).toEqual([0, 2, 3, 4, 5])
  })

  it('are completed: a call without a result gets one that says so', () => {
    const history = [
      hi,
      assistantMessage('x', toolUseBlock('1', 'f'), toolUseBlock('2', 'f')),
      resultMessage('2', 'b'),
      hi,
    ]

    const { messages, changes } = adaptTranscript(history, chat)

    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
    expect(messages[2]).toMatchObject({ toolUseId: '1', isError: true })
    expect(messages[3]).toBe(history[2])
    expect(changes).toEqual([change(1, 'message_inserted', 'orphan_tool_call', 1)])
  })

  it('are put in call order', () => {
    const results = [resultMessage('3', 'c'), resultMessage('1', 'a'), resultMessage('2', 'b')]
    const history = [hi, assistantMessage(...['1', '2', '3'].map((id) => toolUseBlock(id, 'f'))), ...results]

    const { messages, changes } = adaptTranscript(history, chat)

    expect(messages.slice(2)).toEqual([results[1], results[2], results[0]])
    expect(changes.map(({ index, reason }) => [index, reason])).toEqual(
      [2, 3, 4].map((index) => [index, 'result_out_of_order']),
    )
  })

  it('become words where their call is gone, after the results that are not', () => {
    const history = [
      hi,
      assistantMessage(toolUseBlock('1', 'f')),
      resultMessage('9', 'lost'),
      resultMessage('1', 'a'),
      resultMessage('1', 'again'),
      hi,
    ]

    const { messages, changes } = adaptTranscript(history, chat)

    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'user', 'user'])
    expect(messages[3]?.blocks).toEqual([expect.anything(), textBlock('lost')])
    expect(messages[4]?.blocks).toEqual([expect.anything(), textBlock('again')])
    expect(changes).toEqual([
      change(2, 'role_changed', 'orphan_tool_result'),
      change(4, 'role_changed', 'orphan_tool_result'),
    ])
  })

  it('are taken out of a user message that another program put them in', () => {
    const inner = { type: 'tool_result', toolUseId: '1', isError: true, content: [textBlock('no')] } as const
    const stray = { ...inner, toolUseId: '9' }
    const history: Message[] = [
      hi,
      assistantMessage(toolUseBlock('1', 'f')),
      { role: 'user', blocks: [inner, textBlock('and?'), stray] },
    ]

    const { messages, changes } = adaptTranscript(history, chat)

    expect(messages.slice(2)).toEqual([
      errorResultMessage('1', 'no'),
      { role: 'user', blocks: [textBlock('and?'), textBlock('[error of a tool call:]'), textBlock('no')] },
    ])
    expect(changes).toEqual([
      change(2, 'role_changed', 'misplaced_block', 0),
      change(2, 'block_replaced', 'misplaced_block', 2),
    ])
  })

  it('say so where they are empty and the target wants content', () => {
    const history = [hi, assistantMessage(toolUseBlock('1', 'f')), resultMessage('1', ' ')]

    expect(adaptTranscript(history, anthropic)).toMatchObject({
      messages: [hi, history[1], resultMessage('1', '(no output)')],
      changes: [change(2, 'text_added', 'empty'), change(2, 'block_dropped', 'empty', 0)],
    })
    expect(adaptTranscript(history, chat).changes).toEqual([])
  })

  it('of one message with an id many times are paired in order, fast', () => {
    const calls = Array.from({ length: 9_000 }, () => toolUseBlock('same', 'f'))
    const history = [hi, assistantMessage(...calls), ...calls.map((_, index) => resultMessage('same', `${index}`))]

    const { messages, changes } = adaptTranscript(history, anthropic)

    expect(messages.slice(2).map(({ blocks }) => blocks)).toEqual(history.slice(2).map(({ blocks }) => blocks))
    expect(changes).toHaveLength(8_999)
  }, 5_000)

  it('that do not fit into the ids of a target are refused instead of tried for ever', () => {
    const calls = Array.from({ length: 40 }, (_, index) => toolUseBlock(`ü${index}`, 'f'))
    const tiny = { ...chat, toolIds: { pattern: /^[a-z\d]$/, maxLength: 1 } }

    expect(() => adaptTranscript([hi, assistantMessage(...calls)], tiny)).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    )
  })

  it('take a pattern that is global', () => {
    const history = [
      hi,
      assistantMessage(toolUseBlock('a', 'f'), toolUseBlock('b', 'f')),
      resultMessage('a', 'x'),
      resultMessage('b', 'y'),
    ]
    const target = {
      ...chat,
      toolIds: { pattern: /^[a-z]+$/g, maxLength: 9 },
      toolNames: { pattern: /^[a-z]+$/g, maxLength: 9 },
    }

    expect(adaptTranscript(history, target).changes).toEqual([])
  })

  it('of thousands of calls with one id stay apart, fast', () => {
    const history: Message[] = [hi]
    for (let index = 0; index < 5_000; index += 1) {
      history.push(assistantMessage(toolUseBlock('same', 'f')), resultMessage('same', `${index}`))
    }

    const results = adaptTranscript(history, anthropic).messages.flatMap((message) =>
      message.role === 'tool' ? [message] : [],
    )

    expect(new Set(results.map(({ toolUseId }) => toolUseId)).size).toBe(5_000)
    expect(results[4_999]?.blocks).toEqual([textBlock('4999')])
  }, 5_000)
})

describe('media', () => {
  it('stays where the model takes it, in results too', () => {
    const history: Message[] = [
      { role: 'user', blocks: [image] },
      assistantMessage(toolUseBlock('1', 'f')),
      resultMessage('1', image),
    ]

    expect(adaptTranscript(history, anthropic)).toEqual({ messages: history, changes: [] })
  })

  it.each<[string, Block, TranscriptRules, string]>([
    [
      'a picture, for a model that does not see',
      { ...image, name: 'a.png' },
      transcriptRules('openai-chat'),
      '[image a.png (image/png): left out, this model cannot take it]',
    ],
    [
      'a picture with a description',
      { ...image, text: 'a cat' },
      transcriptRules('gemini'),
      '[image (image/png), in words:]\na cat',
    ],
    [
      'a format that nobody takes',
      { ...image, mediaType: 'image/svg+xml' },
      anthropic,
      '[image (image/svg+xml): left out, this model cannot take it]',
    ],
    [
      'a picture by URL',
      { type: 'image', mediaType: 'image/png', url: 'https://example.org/a.png' },
      transcriptRules('bedrock-converse', { images: true }),
      '[image (image/png): left out, this model cannot take it]',
    ],
    [
      'sound',
      { type: 'audio', mediaType: 'audio/wav', data: 'aGk=', text: 'hello' },
      anthropic,
      '[audio (audio/wav), in words:]\nhello',
    ],
    [
      'a file of text',
      { type: 'document', mediaType: 'text/csv', data: 'YSxi', name: 'a.csv' },
      transcriptRules('openai-chat'),
      '[document a.csv (text/csv), in words:]\na,b',
    ],
    [
      'a file with its text',
      { type: 'document', mediaType: 'application/pdf', data: 'aGk=', text: 'terms' },
      transcriptRules('anthropic-messages'),
      '[document (application/pdf), in words:]\nterms',
    ],
  ])('becomes words: %s', (_what, block, target, text) => {
    const { messages, changes } = adaptTranscript([{ role: 'user', blocks: [block] }], target)

    expect(messages).toEqual([userMessage(text)])
    expect(changes).toEqual([change(0, 'block_replaced', 'unsupported_media', 0)])
  })

  it('of an answer becomes words for all but the one whose models make some', () => {
    expect(answer([image], chat).changes).toEqual([change(1, 'block_replaced', 'unsupported_media', 0)])
    expect(answer([image], transcriptRules('gemini')).changes).toEqual([])
  })

  it('that breaks a rule becomes words', () => {
    const broken = { ...image, url: 'https://example.org/a.png' }

    expect(adaptTranscript([{ role: 'user', blocks: [broken] }], anthropic).changes).toEqual([
      change(0, 'block_replaced', 'invalid_media', 0),
    ])
  })
})

describe('refusals, empty texts and blocks in the wrong place', () => {
  it('a refusal becomes a text where the target has none, an empty one too', () => {
    const blocks: Block[] = [
      { type: 'refusal', text: 'I cannot.' },
      { type: 'refusal', text: '' },
    ]

    expect(answer(blocks, anthropic).blocks).toEqual([
      textBlock('I cannot.'),
      textBlock('[The model declined to answer.]'),
    ])
    expect(answer(blocks, chat)).toEqual({ blocks, changes: [] })
  })

  it('a blank text is dropped where the target refuses it, and a message of nothing else with it', () => {
    const { messages, changes } = adaptTranscript([userMessage(' \n'), hi], anthropic)

    expect(messages).toEqual([hi])
    expect(changes).toEqual([change(0, 'message_dropped', 'empty'), change(0, 'block_dropped', 'empty', 0)])
    expect(adaptTranscript([userMessage(' \n')], chat).changes).toEqual([])
  })

  it('calls, thinking and results in a message that cannot have them become words or nothing', () => {
    const blocks: Block[] = [
      thinkingBlock('hm'),
      toolUseBlock('1', 'f', { n: 1 }),
      { type: 'tool_result', toolUseId: '9', isError: false, content: [image] },
    ]

    const { messages, changes } = adaptTranscript([{ role: 'user', blocks }], chat)

    expect(messages).toEqual([
      {
        role: 'user',
        blocks: [textBlock('[call of the tool f: {"n":1}]'), textBlock('[result of a tool call:]'), image],
      },
    ])
    expect(changes.map(({ reason }) => reason)).toEqual(['misplaced_block', 'misplaced_block', 'misplaced_block'])
  })
})

describe('order', () => {
  it('a system message in the middle moves to the front, stays, or becomes a user message', () => {
    const first = systemMessage('Be kind.')
    const middle = systemMessage('Be brief.')
    const history = [first, hi, assistantMessage('Hello'), middle, hi]
    const rolesFor = (target: TranscriptRules) => adaptTranscript(history, target).messages.map(({ role }) => role)

    expect(adaptTranscript(history, anthropic).messages.slice(0, 3)).toEqual([first, middle, hi])
    expect(adaptTranscript(history, anthropic).changes).toEqual([change(3, 'message_moved', 'misplaced_system')])
    expect(rolesFor(chat)).toEqual(['system', 'user', 'assistant', 'system', 'user'])
    expect(rolesFor({ ...chat, systemMessages: 'user' })).toEqual(['system', 'user', 'assistant', 'user', 'user'])
  })

  it('neighbours of one role are merged where roles must alternate', () => {
    const history = [
      userMessage('a'),
      userMessage('b'),
      assistantMessage('c'),
      { ...assistantMessage('d'), model: 'm', usage: {} },
      userMessage('e'),
    ]

    const { messages, changes } = adaptTranscript(history, alternating)

    expect(messages).toEqual([
      { role: 'user', blocks: [textBlock('a'), textBlock('b')] },
      { role: 'assistant', blocks: [textBlock('c'), textBlock('d')] },
      userMessage('e'),
    ])
    expect(changes).toEqual([
      change(1, 'message_merged', 'consecutive_role'),
      change(3, 'message_merged', 'consecutive_role'),
    ])
  })

  it('a user is made to speak first where the target wants it', () => {
    const { messages, changes } = adaptTranscript([systemMessage('Be kind.'), assistantMessage('Hello'), hi], anthropic)

    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(changes).toEqual([change(1, 'message_inserted', 'starts_with_assistant')])
  })
})

describe('strict adaptation', () => {
  it('names the first place, why, and the target, and quotes nothing', () => {
    const history = [hi, assistantMessage('secret-81', thinkingBlock('secret-81', 'anthropic'))]
    const act = () => adaptTranscript(history, chat, { strict: true })

    expect(act).toThrow('messages[1].blocks[1]: foreign_thinking: openai-chat does not take it as it is')
    expect(act).toThrow(expect.objectContaining({ code: 'unsupported' }))
    expect(act).not.toThrow(/secret/)
  })

  it('leaves out what is empty and thinking that nobody has sealed: providers give both and take neither back', () => {
    const history = [hi, assistantMessage(thinkingBlock('a'), '', 'b'), assistantMessage(), hi]

    const { messages, changes } = adaptTranscript(history, transcriptRules('gemini'), { strict: true })

    expect(messages).toEqual([hi, assistantMessage('b'), hi])
    expect(changes.map(({ reason }) => reason)).toEqual(['unsealed_thinking', 'empty', 'empty'])
  })

  it('gives a legal history as it is', () => {
    const history = [hi, assistantMessage('Hello'), hi]

    expect(adaptTranscript(history, chat, { strict: true })).toEqual({ messages: history, changes: [] })
  })
})

describe('transcriptAdapter', () => {
  it('gives the same objects again for the part that it knows, changed ones too', () => {
    const adapt = transcriptAdapter(chat)
    const history = [hi, assistantMessage(thinkingBlock('a', 'anthropic'), 'b'), hi]
    const before = adapt(history).messages

    const after = adapt([...history, assistantMessage('c'), hi]).messages

    expect(after).toHaveLength(5)
    for (const [index, message] of before.entries()) expect(after[index]).toBe(message)
  })

  it('begins again for another history', () => {
    const adapt = transcriptAdapter(chat)
    adapt([hi, assistantMessage(toolUseBlock('1', 'f')), resultMessage('1', 'x')])
    const summary = [userMessage('summary'), assistantMessage(toolUseBlock('1', 'f')), resultMessage('1', 'x')]

    expect(adapt(summary)).toEqual({ messages: summary, changes: [] })
  })

  it('stands in for the result of a call only until it comes', () => {
    const adapt = transcriptAdapter(chat)
    const open = [hi, assistantMessage(toolUseBlock('1', 'f'))]

    expect(adapt(open).changes).toEqual([change(1, 'message_inserted', 'orphan_tool_call', 0)])
    expect(adapt([...open, resultMessage('1', 'x')])).toEqual({
      messages: [...open, resultMessage('1', 'x')],
      changes: [],
    })
  })
})
