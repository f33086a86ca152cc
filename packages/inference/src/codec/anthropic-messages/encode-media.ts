import { type DocumentBlock, type ImageBlock, mediaFault } from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'

/** @throws InferenceError `unsupported` for a format that the protocol does not take. */
export function imagePart(block: ImageBlock): object {
  const fault = mediaFault(block)
  if (fault !== undefined) throw unsupported('an image', `${fault.field}: ${fault.expected}`)
  const { url, data } = block
  if (url !== undefined) return { type: 'image', source: { type: 'url', url: webUrl('an image', url) } }
  const mediaType = imageTypes.get(block.mediaType.toLowerCase())
  if (mediaType === undefined) throw unsupported('an image', 'expected JPEG, PNG, GIF or WebP')
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
}

/**
 * Encodes a file: PDF as it is, anything else by its text.
 *
 * @throws InferenceError `unsupported` for another format without text.
 */
export function documentPart(block: DocumentBlock): object {
  const fault = mediaFault(block)
  if (fault !== undefined) throw unsupported('a document', `${fault.field}: ${fault.expected}`)
  const { name, text } = block
  const source = pdfSource(block) ?? textSource(text ?? plainText(block))
  if (source === undefined) throw unsupported('a document', 'expected PDF, plain text, or its text beside it')
  return { type: 'document', source, ...(name === undefined ? {} : { title: name }) }
}

function pdfSource({ mediaType, url, data }: DocumentBlock): object | undefined {
  if (mediaType.toLowerCase() !== 'application/pdf') return undefined
  if (url !== undefined) return { type: 'url', url: webUrl('a document', url) }
  return data === undefined ? undefined : { type: 'base64', media_type: 'application/pdf', data }
}

function textSource(data: string | undefined): object | undefined {
  return data === undefined ? undefined : { type: 'text', media_type: 'text/plain', data }
}

/** The bytes of a text file. */
export function plainText({ mediaType, data }: DocumentBlock): string | undefined {
  const isText = /^text\/|^application\/(?:json|xml|x-ndjson|yaml|x-yaml)$/i.test(mediaType)
  return isText && data !== undefined ? Buffer.from(data, 'base64').toString('utf8') : undefined
}

function webUrl(part: string, url: string): string {
  if (!/^https?:/i.test(url)) throw unsupported(part, 'expected an http or https URL')
  return url
}

const imageTypes: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/png', 'image/png'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
])
