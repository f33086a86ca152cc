import {
  type AIMessage,
  assertNever,
  type Block,
  type ImageBlock,
  type Message,
  type ToolResultMessage,
  type ToolUseBlock,
  textOf,
  type UserMessage,
} from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { replayedToolName } from './tool-name.ts'

/** What one message becomes. */
export interface EncodedMessage {
  /** The JSON text of the wire message; absent when nothing of the message can be said in this protocol. */
  readonly json?: string
  /** Pictures of a tool result: content parts for one user message after the whole batch of results. */
  readonly movedParts?: string
  readonly hasImages: boolean
}

/**
 * Encodes one message.
 *
 * Thinking is left out: this protocol does not take it back. Tool results are text only, so their pictures move.
 *
 * @throws InferenceError `unsupported` for a block that has no place in a message of its role.
 */
export function encodeMessage(message: Message): EncodedMessage {
  switch (message.role) {
    case 'system':
      return textMessage({ role: 'system', content: onlyText(message.blocks, 'a system message') })
    case 'user':
      return encodeUser(message)
    case 'assistant':
      return encodeAssistant(message)
    case 'tool':
      return encodeToolResult(message)
    default:
      return assertNever(message, 'message role')
  }
}

function encodeUser({ blocks }: UserMessage): EncodedMessage {
  if (blocks.every((block) => block.type === 'text')) return textMessage({ role: 'user', content: textOf(blocks) })
  const content: object[] = []
  for (const block of blocks) {
    if (block.type === 'text') content.push({ type: 'text', text: block.text })
    else if (block.type === 'image') content.push(imagePart(block))
    else throw misplaced(block, 'a user message')
  }
  return { json: wellFormedJson({ role: 'user', content }), hasImages: true }
}

function encodeAssistant({ blocks }: AIMessage): EncodedMessage {
  let text = ''
  let refusal: string | undefined
  const calls: ToolUseBlock[] = []
  for (const block of blocks) {
    if (block.type === 'text') text += block.text
    else if (block.type === 'refusal') refusal = (refusal ?? '') + block.text
    else if (block.type === 'tool_use') calls.push(block)
    else if (block.type !== 'thinking') throw misplaced(block, 'an assistant message')
  }
  if (text === '' && refusal === undefined && calls.length === 0) return { hasImages: false }
  return textMessage({
    role: 'assistant',
    content: text === '' ? null : text,
    ...(refusal === undefined ? {} : { refusal }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(encodeCall) }),
  })
}

function encodeCall({ id, name, input }: ToolUseBlock): object {
  return { id, type: 'function', function: { name: replayedToolName(name), arguments: wellFormedJson(input) } }
}

function encodeToolResult({ blocks, toolUseId }: ToolResultMessage): EncodedMessage {
  const images = blocks.filter((block) => block.type === 'image')
  const rest = blocks.filter((block) => block.type !== 'image')
  const text = onlyText(rest, 'a tool result')
  const notice = `[${images.length} image${images.length === 1 ? '' : 's'}: see the message after the tool results]`
  const content = images.length === 0 ? text : text === '' ? notice : `${text}\n${notice}`
  const json = wellFormedJson({ role: 'tool', tool_call_id: toolUseId, content })
  if (images.length === 0) return { json, hasImages: false }
  const label = { type: 'text', text: `Images of the tool result ${toolUseId}:` }
  return { json, movedParts: wellFormedJson([label, ...images.map(imagePart)]).slice(1, -1), hasImages: true }
}

function imagePart({ mediaType, data, url }: ImageBlock): object {
  if ((data === undefined) === (url === undefined)) throw unsupported('an image', 'expected either data or url')
  if (url !== undefined) return { type: 'image_url', image_url: { url } }
  if (!/^image\/[\w.+-]+$/.test(mediaType)) throw unsupported('an image', 'expected a media type such as image/png')
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } }
}

function onlyText(blocks: readonly Block[], where: string): string {
  for (const block of blocks) if (block.type !== 'text') throw misplaced(block, where)
  return textOf(blocks)
}

function misplaced(block: Block, where: string): Error {
  return unsupported(where, `cannot hold a ${block.type} block in this protocol`)
}

function textMessage(message: object): EncodedMessage {
  return { json: wellFormedJson(message), hasImages: false }
}
