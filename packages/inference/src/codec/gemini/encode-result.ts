import { type Block, type ToolResultMessage, type ToolUseBlock, textOf } from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { type Accepted, documentPart, mediaPart } from './encode-media.ts'
import { wireIdOf } from './encode-parts.ts'
import { replayedFunctionName } from './function-name.ts'

/** The result of one call, as parts. */
export interface EncodedResult {
  /** The `functionResponse` part as JSON. */
  readonly response: string
  /** Media that must stand after all responses of the step, as JSON with commas between; empty when there is none. */
  readonly media: string
}

/**
 * Encodes the result of a call under the name of the call, by which alone the provider tells results apart.
 *
 * @throws InferenceError `unsupported` for a block that has no place in a result.
 */
export function encodeResult(
  { blocks, isError }: ToolResultMessage,
  call: ToolUseBlock,
  accepted: Accepted,
): EncodedResult {
  const { text, media } = split(blocks, accepted)
  const nested = accepted.mediaInResponses && media.length > 0
  const part = responsePart(call, isError ? { error: text } : { output: text }, nested ? media : undefined)
  return { response: wellFormedJson(part), media: nested ? '' : media.map((each) => wellFormedJson(each)).join(',') }
}

/** The result of a call that has none: the provider refuses a step with fewer results than calls. */
export function missingResult(call: ToolUseBlock): string {
  return wellFormedJson(
    responsePart(call, { error: 'There is no result of this call: it was interrupted.' }, undefined),
  )
}

/** Encodes a result whose call is gone, which can only be told as text. */
export function orphanParts({ blocks }: ToolResultMessage, accepted: Accepted): object[] {
  const { text, media } = split(blocks, accepted)
  return [{ text: `[The result of a tool call that is no longer part of this conversation:]\n${text}` }, ...media]
}

function responsePart(call: ToolUseBlock, response: object, parts: readonly object[] | undefined): object {
  const id = wireIdOf(call)
  const functionResponse = {
    ...(id === undefined ? {} : { id }),
    name: replayedFunctionName(call.name),
    response,
    ...(parts === undefined ? {} : { parts }),
  }
  return { functionResponse }
}

function split(blocks: readonly Block[], accepted: Accepted): { text: string; media: object[] } {
  const media: object[] = []
  const texts = [textOf(blocks)]
  for (const block of blocks) {
    if (block.type === 'text') continue
    if (block.type === 'image' || block.type === 'audio') media.push(mediaPart(block))
    else if (block.type !== 'document')
      throw unsupported('a tool result', `cannot hold a ${block.type} block in this protocol`)
    else {
      const part = documentPart(block, accepted)
      if ('text' in part && typeof part.text === 'string') texts.push(part.text)
      else media.push(part)
    }
  }
  return { text: texts.filter((text) => text !== '').join('\n\n'), media }
}
