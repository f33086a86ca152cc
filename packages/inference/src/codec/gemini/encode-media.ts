import { type DocumentBlock, type MediaBlock, mediaFault } from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'

/** What a model takes besides text, as far as it changes how a message is written. */
export interface Accepted {
  readonly documents: boolean
  /** Whether media may stand inside of a function response. */
  readonly mediaInResponses: boolean
}

/**
 * Encodes a picture, a sound or a file. Bytes go along; of URLs the provider reads its own and those of YouTube.
 *
 * @throws InferenceError `unsupported` for a format or a URL that the provider does not take.
 */
export function mediaPart(block: MediaBlock): object {
  const what = `${block.type === 'document' ? 'a' : 'an'} ${block.type}`
  const fault = mediaFault(block)
  if (fault !== undefined) throw unsupported(what, `${fault.field}: ${fault.expected}`)
  const { data, url } = block
  const mimeType = block.mediaType.toLowerCase().replace(/^image\/jpg$/, 'image/jpeg')
  if (url !== undefined) {
    if (!isReadable(url)) throw unsupported(what, 'expected data, or a URL of gs://, the Files API or YouTube')
    return { fileData: { fileUri: url, ...(mimeType.includes('*') ? {} : { mimeType }) } }
  }
  if (data === undefined || !isTaken(block.type, mimeType)) throw unsupported(what, 'its media type is not taken')
  return { inlineData: { mimeType, data } }
}

/** Encodes a document: as a file for a model that reads files, else by its text. @throws as `mediaPart` does. */
export function documentPart(block: DocumentBlock, accepted: Accepted): object {
  const { mediaType, data, url, name } = block
  const isFile = url !== undefined || (data !== undefined && isTaken('document', mediaType.toLowerCase()))
  if (isFile && accepted.documents) return mediaPart(block)
  const text = textOfDocument(block)
  if (text === undefined) {
    throw unsupported('a document', isFile ? 'the model has no documents capability' : 'its media type is not taken')
  }
  return { text: name === undefined ? text : `${name}:\n${text}` }
}

/** The text of a document: the one beside it, or its bytes where they are text. */
function textOfDocument({ mediaType, data, text }: DocumentBlock): string | undefined {
  if (text !== undefined || data === undefined) return text
  return textTypes.test(mediaType) ? Buffer.from(data, 'base64').toString('utf8') : undefined
}

function isReadable(url: string): boolean {
  return /^(?:gs:\/\/|https:\/\/(?:generativelanguage\.googleapis\.com|www\.youtube\.com|youtube\.com|youtu\.be)\/)/i.test(
    url,
  )
}

function isTaken(type: MediaBlock['type'], mimeType: string): boolean {
  if (type === 'audio') return true
  return type === 'image' ? imageTypes.has(mimeType) : documentTypes.has(mimeType) || mimeType.startsWith('text/')
}

const textTypes =
  /^text\/|^application\/(?:json|xml|yaml|x-yaml|x-ndjson|rtf|(?:x-)?(?:javascript|typescript)|x-python-code)$/i

const imageTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/heif',
  'image/gif',
  'image/avif',
])

const documentTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/json',
  'application/rtf',
  'application/x-javascript',
  'application/x-typescript',
  'application/x-python-code',
  'application/x-ipynb+json',
])
