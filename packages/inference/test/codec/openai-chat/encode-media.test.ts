import { type Block, textBlock } from '@looprig/core'
import { type ChatProfile, chatProfiles } from '@looprig/inference/openai'
import { describe, expect, it } from 'vitest'
import { ableModel, assistant, encodeChat, toolResult } from '../../support/encode-chat.ts'

const pdf = { type: 'document', mediaType: 'application/pdf', data: 'JVBERg==', name: 'plan.pdf' } as const
const wav = { type: 'audio', mediaType: 'audio/x-wav', data: 'UklGRg==' } as const

function contentOf(block: Block, profile?: ChatProfile): unknown {
  return encodeChat({ messages: [{ role: 'user', blocks: [textBlock('See'), block] }] }, profile).messages[0]?.content
}

describe('a user message with media', () => {
  it('sends a file as a data URI with its name', () => {
    expect(contentOf(pdf)).toEqual([
      { type: 'text', text: 'See' },
      { type: 'file', file: { filename: 'plan.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
    ])
  })

  it('gives a file without a name one that tells what it is', () => {
    expect(contentOf({ type: 'document', mediaType: 'application/pdf', data: 'JVBERg==' })).toMatchObject([
      {},
      { file: { filename: 'document.pdf' } },
    ])
  })

  it('sends a file of which there is only text as text, for any model', () => {
    const notes = { type: 'document', mediaType: 'text/plain', text: 'Buy milk', name: 'notes.txt' } as const

    const { messages } = encodeChat({
      model: { provider: 'test', name: 'lark-2' },
      messages: [{ role: 'user', blocks: [notes] }],
    })

    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'notes.txt:\nBuy milk' }] }])
  })

  it.each([
    ['audio/x-wav', 'wav'],
    ['audio/vnd.wave', 'wav'],
    ['audio/mpeg', 'mp3'],
    ['Audio/MP3', 'mp3'],
  ])('sends %s as %s', (mediaType, format) => {
    expect(contentOf({ ...wav, mediaType })).toMatchObject([
      {},
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format } },
    ])
  })

  it('sends files and sound in the form that Mistral has for them', () => {
    expect(contentOf(pdf, chatProfiles.mistral)).toMatchObject([
      {},
      { type: 'document_url', document_url: 'data:application/pdf;base64,JVBERg==', document_name: 'plan.pdf' },
    ])
    expect(contentOf(wav, chatProfiles.mistral)).toMatchObject([{}, { input_audio: 'UklGRg==' }])
  })

  it('sends a file by URL to servers that take one', () => {
    const url = 'https://example.org/plan.pdf'

    expect(contentOf({ type: 'document', mediaType: 'application/pdf', url }, chatProfiles.openrouter)).toMatchObject([
      {},
      { file: { file_data: url } },
    ])
  })

  it.each<[string, Block, ChatProfile, string]>([
    [
      'a file by URL',
      { type: 'document', mediaType: 'application/pdf', url: 'https://example.org/a' },
      {},
      'a document',
    ],
    ['a file of no type', { ...pdf, mediaType: 'pdf' }, {}, 'a document'],
    ['a file without content', { type: 'document', mediaType: 'application/pdf' }, {}, 'a document'],
    ['a file for a server that takes none', pdf, { documents: 'none' }, 'a document'],
    ['sound of another format', { ...wav, mediaType: 'audio/flac' }, {}, 'audio'],
    ['sound by URL', { type: 'audio', mediaType: 'audio/wav', url: 'https://example.org/a' }, {}, 'audio'],
    ['sound for a server that takes none', wav, { audio: 'none' }, 'audio'],
  ])('refuses %s', (_what, block, profile, start) => {
    expect(() => contentOf(block, profile)).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringMatching(`^${start}: `) }),
    )
  })

  it.each([
    ['audio', wav],
    ['documents', pdf],
  ] as const)('refuses media for a model without the %s capability, before anything is sent', (capability, block) => {
    const model = { ...ableModel, capabilities: { ...ableModel.capabilities, [capability]: undefined } }

    expect(() => encodeChat({ model, messages: [{ role: 'user', blocks: [block] }] })).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringContaining(`no ${capability} capability`) }),
    )
  })
})

describe('a tool result with media', () => {
  it('keeps its text and moves files and sound behind the batch', () => {
    const { messages } = encodeChat({
      messages: [assistant(), toolResult('a', textBlock('Done'), pdf, wav), toolResult('b', textBlock('ok'))],
    })

    expect(messages).toMatchObject([
      { role: 'tool', content: 'Done\n[1 document, 1 audio: see the message after the tool results]' },
      { role: 'tool', content: 'ok' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attachments of the tool result a:' },
          { type: 'file' },
          { type: 'input_audio' },
        ],
      },
    ])
  })

  it('keeps a file of which there is only text in place', () => {
    const { messages } = encodeChat({
      messages: [toolResult('a', textBlock('Read:'), { type: 'document', mediaType: 'text/plain', text: 'x' })],
    })

    expect(messages).toEqual([{ role: 'tool', tool_call_id: 'a', content: 'Read:\nx' }])
  })
})
