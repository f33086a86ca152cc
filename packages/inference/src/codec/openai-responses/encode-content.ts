import { type Block, type DocumentBlock, type ImageBlock, mediaFault } from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'

/** What a model takes besides text, as far as it changes how a message is written. */
export interface Accepted {
  readonly documents: boolean
}

/**
 * Encodes what a person or a tool said as a list of parts. A document goes as a file to a model that reads files, else
 * by its text.
 *
 * @throws InferenceError `unsupported` for a block that has no place there, or a document that the model cannot read.
 */
export function contentParts(blocks: readonly Block[], where: string, accepted: Accepted): object[] {
  return blocks.flatMap((block) => {
    if (block.type === 'text') return block.text === '' ? [] : textPart(block.text)
    if (block.type === 'image') return imagePart(block)
    if (block.type === 'document') return documentPart(block, accepted)
    throw unsupported(where, `cannot hold a ${block.type} block in this protocol`)
  })
}

function textPart(text: string): object {
  return { type: 'input_text', text }
}

function imagePart(block: ImageBlock): object {
  const fault = mediaFault(block)
  if (fault !== undefined) throw unsupported('an image', `${fault.field}: ${fault.expected}`)
  const { mediaType, data, url } = block
  return { type: 'input_image', image_url: url ?? `data:${mediaType};base64,${data}`, detail: 'auto' }
}

function documentPart(block: DocumentBlock, accepted: Accepted): object {
  const fault = mediaFault(block)
  if (fault !== undefined) throw unsupported('a document', `${fault.field}: ${fault.expected}`)
  const { mediaType, data, url, name } = block
  if (accepted.documents && url !== undefined) return { type: 'input_file', file_url: url }
  if (accepted.documents && data !== undefined) {
    const file_data = `data:${mediaType};base64,${data}`
    return { type: 'input_file', filename: name ?? `document.${endingOf(mediaType)}`, file_data }
  }
  const text = textOfDocument(block)
  if (text === undefined) throw unsupported('a document', 'the model has no documents capability')
  return textPart(name === undefined ? text : `${name}:\n${text}`)
}

/** The text of a document: the one beside it, or its bytes where they are text. */
function textOfDocument({ mediaType, data, text }: DocumentBlock): string | undefined {
  if (text !== undefined || data === undefined) return text
  const isText = /^text\/|^application\/(?:json|xml|yaml|x-yaml|x-ndjson)$/i.test(mediaType)
  return isText ? Buffer.from(data, 'base64').toString('utf8') : undefined
}

/** A file must have a name whose ending tells its kind. */
function endingOf(mediaType: string): string {
  const subtype = mediaType.toLowerCase().split('/')[1] ?? ''
  if (subtype === 'plain') return 'txt'
  return /^[a-z\d]{1,8}$/.test(subtype) ? subtype : 'bin'
}
