import { type Block, ContentError, isMediaBlock, type MediaSource, mediaBlock, mediaFault } from '@looprig/core'
import { wholeBlocks } from '@looprig/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraries } from '../support/arbitraries.ts'

const png = { mediaType: 'image/png' }
const pdf = { mediaType: 'application/pdf' }

describe('mediaBlock', () => {
  it('writes bytes as base64', () => {
    const block = mediaBlock('image', { ...png, data: new Uint8Array([104, 105]), name: 'hi.png' })

    expect(block).toEqual({ type: 'image', mediaType: 'image/png', data: 'aGk=', name: 'hi.png' })
  })

  it.each<['image' | 'audio' | 'document', MediaSource]>([
    ['image', { ...png, url: 'https://example.org/a.png', text: 'a cat' }],
    ['image', { mediaType: 'image/*', url: 'gs://bucket/a' }],
    ['audio', { mediaType: 'audio/wav', data: 'aGk=', text: 'hi' }],
    ['document', { ...pdf, data: 'aGk=', text: 'the content', name: 'Vertrag (1).pdf' }],
    ['document', { mediaType: 'text/plain', text: '' }],
  ])('takes an %s of %j', (type, source) => {
    expect(mediaBlock(type, source)).toEqual({ type, ...source })
  })

  it.each<[string, 'image' | 'audio' | 'document', MediaSource]>([
    ['image.data', 'image', png],
    ['image.data', 'image', { ...png, data: 'aGk=', url: 'https://example.org/a.png' }],
    ['image.data', 'image', { ...png, text: 'a cat' }],
    ['image.data', 'image', { ...png, data: '' }],
    ['image.data', 'image', { ...png, data: 'aGk' }],
    ['image.data', 'image', { ...png, data: 'data:image/png;base64,aGk=' }],
    ['image.url', 'image', { ...png, url: '/etc/passwd' }],
    ['image.url', 'image', { ...png, url: 'data:image/png;base64,aGk=' }],
    ['image.url', 'image', { ...png, url: 'file:///etc/passwd' }],
    ['image.mediaType', 'image', { mediaType: '', data: 'aGk=' }],
    ['image.mediaType', 'image', { mediaType: 'png', data: 'aGk=' }],
    ['image.mediaType', 'image', { mediaType: 'application/pdf', data: 'aGk=' }],
    ['image.mediaType', 'image', { mediaType: 'image/png; charset=x', data: 'aGk=' }],
    ['audio.mediaType', 'audio', { mediaType: 'image/png', data: 'aGk=' }],
    ['audio.data', 'audio', { mediaType: 'audio/wav' }],
    ['document.data', 'document', pdf],
    ['document.name', 'document', { ...pdf, data: 'aGk=', name: '' }],
    ['document.name', 'document', { ...pdf, data: 'aGk=', name: 'a\nb' }],
    ['document.name', 'document', { ...pdf, data: 'aGk=', name: 'x'.repeat(256) }],
  ])('names %s when it refuses an %s of %j', (field, type, source) => {
    expect(() => mediaBlock(type, source)).toThrow(expect.objectContaining({ code: 'content_invalid', field }))
    expect(() => mediaBlock(type, source)).toThrow(ContentError)
  })
})

describe('mediaFault', () => {
  it('finds nothing wrong with what the generator of media makes', () => {
    fc.assert(fc.property(arbitraries.media, (block) => mediaFault(block) === undefined))
  })

  it('answers at once for a large text that is nearly base64', () => {
    const data = `${'A'.repeat(8 * 1024 * 1024 - 1)}!`

    expect(mediaFault({ type: 'image', ...png, data })?.field).toBe('data')
  }, 2_000)
})

describe('isMediaBlock', () => {
  it('is true for pictures, recordings and files alone', () => {
    const kinds = Object.values<Block>(wholeBlocks)
      .filter(isMediaBlock)
      .map((block) => block.type)

    expect(kinds).toEqual(['image', 'audio', 'document'])
  })
})
