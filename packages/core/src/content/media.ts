import { ContentError } from '../error/errors.ts'
import type { AudioBlock, Block, DocumentBlock, ImageBlock } from './block.ts'

/** A picture, a recording or a file. */
export type MediaBlock = ImageBlock | AudioBlock | DocumentBlock

/** What a media block is made of. Give one of `data` and `url`; a document may have its `text` alone. */
export interface MediaSource {
  /** For example `image/png`, `audio/wav`, `application/pdf`. */
  readonly mediaType: string
  /** The bytes, or their base64. */
  readonly data?: Uint8Array | string | undefined
  /** Where the provider reads it: absolute, with a scheme other than `data`. */
  readonly url?: string | undefined
  /** A file name, 1 to 255 characters. */
  readonly name?: string | undefined
  /** Its content or description in words, for models that cannot take it. */
  readonly text?: string | undefined
}

const maxNameCharacters = 255
const mediaTypePattern = /^[a-z0-9][\w.+-]*\/[a-z0-9*][\w.+-]*$/i
const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/
const controlPattern = /[\u0000-\u001f\u007f]/

/** Says whether a block is a picture, a recording or a file. */
export function isMediaBlock(block: Block): block is MediaBlock {
  return block.type === 'image' || block.type === 'audio' || block.type === 'document'
}

/**
 * Makes a media block.
 *
 * @throws ContentError `content_invalid` when a rule of its kind is broken; `field` names the member.
 */
export function mediaBlock<Type extends MediaBlock['type']>(
  type: Type,
  source: MediaSource,
): Extract<MediaBlock, { type: Type }> {
  const { mediaType, data, url, name, text } = source
  const block = {
    type,
    mediaType,
    ...(data === undefined ? {} : { data: typeof data === 'string' ? data : Buffer.from(data).toString('base64') }),
    ...(url === undefined ? {} : { url }),
    ...(name === undefined ? {} : { name }),
    ...(text === undefined ? {} : { text }),
  } as Extract<MediaBlock, { type: Type }> // proved: the three kinds differ in `type` alone
  const fault = mediaFault(block)
  if (fault !== undefined) throw new ContentError('content_invalid', `${type}.${fault.field}`, fault.expected)
  return block
}

/** The member of a media block that breaks a rule, and what is expected instead. */
export interface MediaFault {
  readonly field: 'mediaType' | 'data' | 'url' | 'name'
  readonly expected: string
}

/** Says which rule a media block breaks; `undefined` when none. Schemas of stored data do not ask this. */
export function mediaFault(block: MediaBlock): MediaFault | undefined {
  const { type, mediaType, data, url, name } = block
  if (!mediaTypePattern.test(mediaType)) return { field: 'mediaType', expected: 'expected a media type' }
  if (type !== 'document' && !mediaType.toLowerCase().startsWith(`${type}/`)) {
    return { field: 'mediaType', expected: `expected ${type}/...` }
  }
  if (data !== undefined && url !== undefined) return { field: 'data', expected: 'expected data or url, not both' }
  if (data === undefined && url === undefined && (type !== 'document' || block.text === undefined)) {
    return { field: 'data', expected: type === 'document' ? 'expected data, url or text' : 'expected data or url' }
  }
  if (data !== undefined && !isBase64(data)) return { field: 'data', expected: 'expected base64 with padding' }
  if (url !== undefined && !isMediaUrl(url)) return { field: 'url', expected: 'expected an absolute URL' }
  if (name !== undefined && !isFileName(name)) {
    return {
      field: 'name',
      expected: `expected 1 to ${maxNameCharacters} characters, none of them a control character`,
    }
  }
  return undefined
}

function isBase64(data: string): boolean {
  return data !== '' && data.length % 4 === 0 && base64Pattern.test(data)
}

function isMediaUrl(url: string): boolean {
  return URL.canParse(url) && !/^(data|javascript|blob|file):/i.test(url)
}

function isFileName(name: string): boolean {
  return name !== '' && name.length <= maxNameCharacters && !controlPattern.test(name)
}
