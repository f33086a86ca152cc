import { type ImageBlock, type JsonValue, mediaFault } from '@looprig/core'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'

/** Reads a picture of a response: `{image_url: {url}}` with a data URL; `undefined` for one that could not be read back. */
export function imageOf(value: JsonValue): ImageBlock | undefined {
  const url = textOfMember(objectOfMember(objectOfMember(value)?.image_url)?.url) ?? ''
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.+)$/s.exec(url) ?? []
  if (mediaType === undefined || data === undefined) return undefined
  const block: ImageBlock = { type: 'image', mediaType, data }
  return mediaFault(block) === undefined ? block : undefined
}
