import { type Block, userMessage } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { call, encode, model, modelWith, png, result, said, sealed, textBlock, wire } from './encoded.ts'

const hi = userMessage('Hi')
const sentTwo = said(textBlock('Reading.'), call('a'), call('b'))

describe('encodeMessage of Anthropic Messages', () => {
  it('hoists instructions from wherever they stand', () => {
    const body = encode({
      system: 'Be brief.',
      messages: [hi, { role: 'system', blocks: [textBlock('Be kind.')] }, said(textBlock('Ok')), hi],
    })

    expect(body.system).toBe('Be brief.\n\nBe kind.')
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('merges neighbours of one role', () => {
    const messages = wire(hi, userMessage('there'), said(textBlock('Yes')), said(textBlock('?')))

    expect(messages).toEqual([
      { role: 'user', content: [textBlock('Hi'), textBlock('there')] },
      { role: 'assistant', content: [textBlock('Yes'), textBlock('?')] },
    ])
  })

  it('puts all results of a step into one user message, in call order, before any text', () => {
    const messages = wire(hi, sentTwo, result('b', 'two'), userMessage('And now?'), result('a', 'one'))

    expect(messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [textBlock('one')] },
        { type: 'tool_result', tool_use_id: 'b', content: [textBlock('two')] },
        textBlock('And now?'),
      ],
    })
  })

  it('pairs results by step where ids come again', () => {
    const again = said(call('a', 'write'))

    const messages = wire(hi, said(call('a')), result('a', 'one'), again, result('a', 'two'))

    expect(messages.map(({ content }) => content[0]?.type)).toEqual([
      'text',
      'tool_use',
      'tool_result',
      'tool_use',
      'tool_result',
    ])
  })

  it('sends thinking of its own back byte for byte and in place, and no other', () => {
    const message = said(
      sealed('First\n  ünïcode\u2028 ', 'SIG/one+=='),
      call('a'),
      { type: 'thinking', text: '', state: { format: 'anthropic-redacted-thinking', data: 'ENC/x+==' } },
      sealed('', 'SIG/two+=='),
      sealed('of another', 'S', 'gemini'),
      { type: 'thinking', text: 'unsealed' },
      { type: 'thinking', text: '', state: { format: 'openai-responses', data: { id: 'rs' } } },
      call('b'),
    )

    const messages = wire(hi, message, result('a', '1'), result('b', '2'))

    expect(messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'First\n  ünïcode\u2028 ', signature: 'SIG/one+==' },
      { type: 'tool_use', id: 'a', name: 'read', input: {} },
      { type: 'redacted_thinking', data: 'ENC/x+==' },
      { type: 'thinking', thinking: '', signature: 'SIG/two+==' },
      { type: 'tool_use', id: 'b', name: 'read', input: {} },
    ])
  })

  it("sends blocks of the server's own tools back as they came", () => {
    const data = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'larks' } }
    const caller = { type: 'code_execution', tool_id: 's' }
    const opaque: Block = { type: 'thinking', text: '', state: { format: 'anthropic-opaque', data } }
    const asked: Block = {
      type: 'tool_use',
      id: 'a',
      name: 'f',
      input: {},
      state: { format: 'anthropic-opaque', data: { caller } },
    }

    const messages = wire(hi, said(opaque, asked), result('a', 'x'))

    expect(messages[1]?.content).toEqual([data, { type: 'tool_use', id: 'a', name: 'f', input: {}, caller }])
  })

  it('never lets a message end with thinking, and leaves out one that has nothing else', () => {
    const messages = wire(hi, said(sealed('Hm', 'S')), hi, said(textBlock('Yes'), sealed('Hm', 'S')), hi)

    expect(messages).toEqual([
      { role: 'user', content: [textBlock('Hi'), textBlock('Hi')] },
      { role: 'assistant', content: [textBlock('Yes')] },
      { role: 'user', content: [textBlock('Hi')] },
    ])
  })

  it('leaves out empty messages and texts of white space', () => {
    const messages = wire(
      hi,
      said(),
      said(textBlock(''), textBlock('\n\n'), call('a')),
      result('a', ' \n'),
      userMessage(''),
    )

    expect(messages).toEqual([
      { role: 'user', content: [textBlock('Hi')] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [textBlock('(no output)')] }],
      },
    ])
  })

  it('trims the end of an answer that the model is to go on from, and shows it no thinking there', () => {
    const messages = wire(hi, said(sealed('Hm', 'S'), textBlock('```js \n')))

    expect(messages.at(-1)).toEqual({ role: 'assistant', content: [textBlock('```js')] })
  })

  it('marks a failed call, and tells one with pictures in words', () => {
    const failed = { ...result('a', 'No such file'), isError: true }
    const shown = { ...result('b', png), isError: true }

    const messages = wire(hi, sentTwo, failed, shown)

    expect(messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [textBlock('No such file')], is_error: true },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        content: [
          textBlock('The tool reported an error:'),
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
        ],
      },
    ])
  })

  it('takes pictures and files where the protocol does', () => {
    const url: Block = { type: 'image', mediaType: 'image/png', url: 'https://birds.example/lark.png' }
    const pdf: Block = { type: 'document', mediaType: 'application/pdf', data: 'JVBERg==', name: 'Larks.pdf' }
    const linked: Block = { type: 'document', mediaType: 'application/pdf', url: 'https://birds.example/larks.pdf' }
    const notes: Block = {
      type: 'document',
      mediaType: 'text/markdown',
      data: Buffer.from('# Larks ü').toString('base64'),
    }
    const office: Block = { type: 'document', mediaType: 'application/msword', data: 'AAAA', text: 'Larks' }

    const [message] = wire({ role: 'user', blocks: [url, pdf, linked, notes, office] })

    expect(message?.content).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://birds.example/lark.png' } },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
        title: 'Larks.pdf',
      },
      { type: 'document', source: { type: 'url', url: 'https://birds.example/larks.pdf' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# Larks ü' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Larks' } },
    ])
  })

  it.each<[string, Block, RegExp]>([
    ['a picture of another kind', { type: 'image', mediaType: 'image/tiff', data: 'AAAA' }, /an image: expected JPEG/],
    ['a picture that is not base64', { type: 'image', mediaType: 'image/png', data: '%' }, /an image: data/],
    [
      'a picture from a bucket',
      { type: 'image', mediaType: 'image/png', url: 'gs://b/x' },
      /an image: expected an http/,
    ],
    [
      'a file without text',
      { type: 'document', mediaType: 'application/msword', data: 'AAAA' },
      /a document: expected/,
    ],
    ['sound', { type: 'audio', mediaType: 'audio/wav', data: 'AAAA' }, /an audio block/],
    ['a call', call('a'), /a tool_use block/],
    ['a result', { type: 'tool_result', toolUseId: 'a', content: [], isError: false }, /a tool_result block/],
  ])('refuses %s in a user message, naming it', (_what, block, message) => {
    expect(() => wire({ role: 'user', blocks: [block] })).toThrow(expect.objectContaining({ code: 'unsupported' }))
    expect(() => wire({ role: 'user', blocks: [block] })).toThrow(message)
  })

  it('refuses pictures and files for a model without the capability, also inside results', () => {
    const pdf: Block = { type: 'document', mediaType: 'application/pdf', data: 'JVBERg==' }
    const blind = modelWith({ images: false })
    const unread = modelWith({ documents: false })
    const messages = (block: Block) => [hi, said(call('a')), result('a', block)]

    expect(() => encode({ model: blind, messages: messages(png) })).toThrow(/no images capability/)
    expect(() => encode({ model: unread, messages: messages(pdf) })).toThrow(/no documents capability/)
    expect(() =>
      encode({ model: unread, messages: messages({ type: 'document', mediaType: 'text/plain', text: 'x' }) }),
    ).not.toThrow()
  })

  it("sends ids and names of other providers' calls in a form that is legal here, the same for call and result", () => {
    const messages = wire(hi, said(call('functions.read:0', 'fs.read')), result('functions.read:0', 'x'))

    const [asked] = messages[1]?.content ?? []
    expect(asked?.id).toMatch(/^[\w-]+$/)
    expect(asked?.name).toBe('fs_read')
    expect(messages[2]?.content[0]?.tool_use_id).toBe(asked?.id)
    expect(wire(hi, said(call('functions.read_0')))[1]?.content[0]?.id).not.toBe(asked?.id)
  })

  it('sends a refusal as what was said', () => {
    expect(wire(hi, said({ type: 'refusal', text: 'I cannot.' }), hi)[1]?.content).toEqual([textBlock('I cannot.')])
  })

  it('repairs half a surrogate pair in texts and arguments', () => {
    const messages = wire(
      userMessage('a\ud83d'),
      said(call('a', 'read', { 'k\ud83d': 'v\ud83d' })),
      result('a', 'x\ud83d'),
    )

    expect(JSON.stringify(messages)).not.toContain('\\ud83d')
    expect(messages[0]?.content).toEqual([textBlock('a\ufffd')])
  })

  it('has a list of messages even when there are none', () => {
    expect(encode({ model, messages: [] }).messages).toEqual([])
  })
})
