import { type Block, userMessage } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { call, png, result, said, sealed, textBlock } from '../anthropic-messages/encoded.ts'
import { encode, modelWith, wire } from './encoded.ts'

const hi = userMessage('Hi')
const asked = { text: 'Hi' }
const pdf = (name?: string): Block => ({
  type: 'document',
  mediaType: 'application/pdf',
  data: 'JVBERg==',
  ...(name === undefined ? {} : { name }),
})

describe('encodeMessage of Bedrock Converse', () => {
  it('merges results in call order and parts them from what the user says then', () => {
    const messages = wire(
      hi,
      said(call('a'), call('b')),
      result('b', 'two'),
      userMessage('And now?'),
      result('a', 'one'),
    )

    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
    expect(messages[2]?.content).toEqual([
      { toolResult: { toolUseId: 'a', content: [{ text: 'one' }] } },
      { toolResult: { toolUseId: 'b', content: [{ text: 'two' }] } },
    ])
    expect(messages[4]?.content).toEqual([{ text: 'And now?' }])
  })

  it('lets a user speak first', () => {
    expect(wire(said(textBlock('Hello')), hi).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('sends thinking of its own back byte for byte and in place, and no other', () => {
    const message = said(
      sealed('First\n ', 'SIG==', 'bedrock-converse'),
      call('a'),
      { type: 'thinking', text: '', state: { format: 'bedrock-converse-redacted-thinking', data: 'RU5D' } },
      sealed('of another', 'S', 'anthropic'),
      { type: 'thinking', text: 'unsealed' },
      call('b'),
    )

    expect(wire(hi, message, result('a', '1'), result('b', '2'))[1]?.content).toEqual([
      { reasoningContent: { reasoningText: { text: 'First\n ', signature: 'SIG==' } } },
      { toolUse: { toolUseId: 'a', name: 'read', input: {} } },
      { reasoningContent: { redactedContent: 'RU5D' } },
      { toolUse: { toolUseId: 'b', name: 'read', input: {} } },
    ])
  })

  it('leaves out empty messages, texts of white space, and thinking at the end', () => {
    const messages = wire(
      hi,
      said(sealed('Hm', 'S', 'bedrock-converse')),
      said(textBlock(' '), textBlock('Ok'), sealed('Hm', 'S', 'bedrock-converse')),
      hi,
    )

    expect(messages.map(({ content }) => content)).toEqual([[asked], [{ text: 'Ok' }], [asked]])
  })

  it('always gives a result content, and tells a failure with pictures in words', () => {
    const silent = { ...result('a'), isError: true }
    const shown = { ...result('b', png), isError: true }

    expect(wire(hi, said(call('a'), call('b')), silent, shown)[2]?.content).toEqual([
      { toolResult: { toolUseId: 'a', content: [{ text: '(no output)' }], status: 'error' } },
      {
        toolResult: {
          toolUseId: 'b',
          content: [
            { text: 'The tool reported an error:' },
            { image: { format: 'png', source: { bytes: 'iVBORw0=' } } },
          ],
        },
      },
    ])
  })

  it('gives documents legal names that differ over the whole request, and a text beside them', () => {
    const messages = wire(
      { role: 'user', blocks: [pdf('Jo’s report_v1.pdf'), pdf()] },
      said(call('a')),
      result('a', pdf('jo s report v1'), pdf('日本.pdf')),
    )

    const names = JSON.stringify(messages).match(/(?<="name":")[^"]+(?=","source)/g)
    expect(names).toEqual(['Jo s report v1', 'document', 'jo s report v1 2', 'document 2'])
    expect(messages[0]?.content[0]).toEqual({ text: 'See the attached document.' })
  })

  it('takes sound and files, and files of another kind by their text', () => {
    const blocks: Block[] = [
      { type: 'audio', mediaType: 'audio/x-wav', data: 'AAAA' },
      { type: 'document', mediaType: 'application/octet-stream', name: 'sheet.xlsx', data: 'AAAA' },
      { type: 'document', mediaType: 'text/rtf', name: 'notes.rtf', data: 'AAAA', text: 'Larks' },
    ]

    expect(wire({ role: 'user', blocks })[0]?.content).toEqual([
      { audio: { format: 'wav', source: { bytes: 'AAAA' } } },
      { document: { format: 'xlsx', name: 'sheet', source: { bytes: 'AAAA' } } },
      { text: 'notes.rtf:\nLarks' },
    ])
  })

  it.each<[string, Block, RegExp]>([
    [
      'a picture by URL',
      { type: 'image', mediaType: 'image/png', url: 'https://x.example/a.png' },
      /an image: .*no URL/,
    ],
    ['a picture of another kind', { type: 'image', mediaType: 'image/tiff', data: 'AAAA' }, /an image: expected/],
    ['sound of another kind', { type: 'audio', mediaType: 'audio/midi', data: 'AAAA' }, /an audio: expected/],
    ['a file without text', { type: 'document', mediaType: 'text/rtf', data: 'AAAA' }, /a document: expected/],
    ['a call', call('a'), /a tool_use block/],
  ])('refuses %s in a user message, naming it', (_what, block, message) => {
    expect(() => wire({ role: 'user', blocks: [block] })).toThrow(expect.objectContaining({ code: 'unsupported' }))
    expect(() => wire({ role: 'user', blocks: [block] })).toThrow(message)
  })

  it.each<[string, Block]>([
    ['images', png],
    ['documents', pdf()],
    ['audio', { type: 'audio', mediaType: 'audio/wav', data: 'AAAA' }],
  ])('refuses what needs the %s capability where the model has none, also inside results', (capability, block) => {
    const messages = [hi, said(call('a')), result('a', block)]

    expect(() => encode({ model: modelWith({ [capability]: false }), messages })).toThrow(
      new RegExp(`no ${capability} capability`),
    )
  })

  it('sends ids that are too long or not legal in a form that is, the same for call and result', () => {
    const id = 'x'.repeat(65)

    const messages = wire(hi, said(call(id), call('a b'), call('tooluse_a.b:c-1')), result(id, '1'), result('a b', '2'))

    const ids = JSON.stringify(messages).match(/(?<="toolUseId":")[^"]+/g) ?? []
    expect(ids[0]).toBe(ids[3])
    expect(ids[1]).toBe(ids[4])
    expect(ids[2]).toBe('tooluse_a.b:c-1')
    for (const sent of ids) expect(sent).toMatch(/^[\w.:-]{1,64}$/)
  })
})
