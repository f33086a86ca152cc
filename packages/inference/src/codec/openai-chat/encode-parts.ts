import type { AudioBlock, Block, DocumentBlock, ImageBlock } from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'
import type { ChatProfile } from './profile.ts'

/** A block that stands in a message as a content part of its own. */
export type MediaBlock = ImageBlock | AudioBlock | DocumentBlock

/** One part of the content of a message. */
export interface Part {
  readonly type: string
  readonly [member: string]: unknown
}

/** Whether a block is a picture, sound or a file. */
export function isMedia(block: Block): block is MediaBlock {
  return block.type === 'image' || block.type === 'audio' || block.type === 'document'
}

/** Whether a block is a file of which only its text goes out, which every model can read. */
export function isTextDocument(block: MediaBlock): boolean {
  return block.type === 'document' && block.data === undefined && block.url === undefined
}

/**
 * Encodes a picture, sound or file.
 *
 * @throws InferenceError `unsupported` for a form that the protocol or the server has no part for.
 */
export function mediaPart(block: MediaBlock, profile: ChatProfile): Part {
  if (block.type === 'image') return imagePart(block)
  return block.type === 'audio' ? audioPart(block, profile) : documentPart(block, profile)
}

function imagePart({ mediaType, data, url }: ImageBlock): Part {
  if ((data === undefined) === (url === undefined)) throw unsupported('an image', 'expected either data or url')
  if (url !== undefined) return { type: 'image_url', image_url: { url } }
  if (!/^image\/[\w.+-]+$/.test(mediaType)) throw unsupported('an image', 'expected a media type such as image/png')
  return { type: 'image_url', image_url: { url: dataUri(mediaType, data ?? '') } }
}

function audioPart({ mediaType, data }: AudioBlock, { audio = 'object' }: ChatProfile): Part {
  if (audio === 'none') throw unsupported('audio', 'the server takes none')
  if (data === undefined) throw unsupported('audio', 'expected data: the protocol has no URLs for it')
  if (audio === 'base64') return { type: 'input_audio', input_audio: data }
  const format = audioFormats.get(mediaType.toLowerCase())
  if (format === undefined) throw unsupported('audio', 'expected WAV or MP3')
  return { type: 'input_audio', input_audio: { data, format } }
}

const audioFormats: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/vnd.wave', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
  ['audio/x-mp3', 'mp3'],
])

function documentPart(block: DocumentBlock, profile: ChatProfile): Part {
  const { mediaType, data, url, name, text } = block
  if (isTextDocument(block)) return textDocumentPart(name, text)
  if (data !== undefined && url !== undefined) throw unsupported('a document', 'expected either data or url')
  const { documents = 'file', documentUrls = documents === 'document_url' } = profile
  if (documents === 'none') throw unsupported('a document', 'the server takes none')
  if (url !== undefined && !documentUrls) throw unsupported('a document', 'expected data: the server takes no URL')
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType)) {
    throw unsupported('a document', 'expected a media type such as application/pdf')
  }
  const source = url ?? dataUri(mediaType, data ?? '')
  if (documents === 'document_url') {
    return { type: 'document_url', document_url: source, ...(name === undefined ? {} : { document_name: name }) }
  }
  return { type: 'file', file: { filename: name ?? defaultName(mediaType), file_data: source } }
}

function textDocumentPart(name: string | undefined, text: string | undefined): Part {
  if (text === undefined) throw unsupported('a document', 'expected data, url or text')
  return { type: 'text', text: name === undefined ? text : `${name}:\n${text}` }
}

/** The protocol wants a name, and its ending tells what the file is. */
function defaultName(mediaType: string): string {
  return `document.${/\/(?:x-)?(\w{1,8})$/.exec(mediaType)?.[1] ?? 'bin'}`
}

function dataUri(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`
}
