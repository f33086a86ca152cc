import { type AudioBlock, type DocumentBlock, type ImageBlock, type MediaBlock, mediaFault } from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'
import type { DocumentNames } from './document-names.ts'

/** @throws InferenceError `unsupported` for a format that the protocol does not take, and for one given by URL. */
export function imagePart(block: ImageBlock): object {
  const bytes = bytesOf(block, 'an image')
  const format = imageFormats.get(block.mediaType.toLowerCase())
  if (format === undefined) throw unsupported('an image', 'expected JPEG, PNG, GIF or WebP')
  return { image: { format, source: { bytes } } }
}

/** @throws InferenceError `unsupported`, as for an image. */
export function audioPart(block: AudioBlock): object {
  const bytes = bytesOf(block, 'an audio')
  const format = audioFormats.get(block.mediaType.toLowerCase().replace(/^audio\/(?:x-|vnd\.)?/, ''))
  if (format === undefined) throw unsupported('an audio', 'expected a format such as MP3, WAV, FLAC, OGG or AAC')
  return { audio: { format, source: { bytes } } }
}

/**
 * Encodes a file: as it is where the protocol takes its format, else by its text.
 *
 * @throws InferenceError `unsupported` for another format without text.
 */
export function documentPart(block: DocumentBlock, names: DocumentNames): object {
  const { name, data, text } = block
  const format = documentFormat(block)
  if (data !== undefined && format !== undefined) {
    return { document: { format, name: names.take(name), source: { bytes: bytesOf(block, 'a document') } } }
  }
  if (text === undefined) throw unsupported('a document', 'expected PDF, Office, text or CSV, or its text beside it')
  return { text: name === undefined ? text : `${name}:\n${text}` }
}

function bytesOf(block: MediaBlock, what: string): string {
  const fault = mediaFault(block)
  if (fault !== undefined) throw unsupported(what, `${fault.field}: ${fault.expected}`)
  if (block.data === undefined) throw unsupported(what, 'this protocol takes data, no URL')
  return block.data
}

/** By the media type, else by the ending of the name. */
function documentFormat({ mediaType, name = '' }: DocumentBlock): string | undefined {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase()
  return (
    documentFormats.get(mediaType.toLowerCase()) ?? (ending !== undefined && endings.has(ending) ? ending : undefined)
  )
}

const imageFormats: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/png', 'png'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])

const audioFormats: ReadonlyMap<string, string> = new Map([
  ['mpeg', 'mp3'],
  ['mp3', 'mp3'],
  ['wav', 'wav'],
  ['wave', 'wav'],
  ['flac', 'flac'],
  ['ogg', 'ogg'],
  ['opus', 'opus'],
  ['aac', 'aac'],
  ['mp4', 'mp4'],
  ['m4a', 'm4a'],
  ['webm', 'webm'],
  ['matroska', 'mka'],
])

const documentFormats: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
])

const endings: ReadonlySet<string> = new Set(documentFormats.values())
