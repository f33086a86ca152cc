import { ContentError } from '../error/errors.ts'
import { isJsonValue, type JsonValue, maxJsonDepth } from '../json/json-value.ts'
import { contentErrorOf, type Schema } from '../schema/schema.ts'
import type { Block } from './block.ts'
import { cappedBlocksSchema } from './block-schema.ts'
import { isMediaBlock, mediaFault } from './media.ts'
import type { Message } from './message.ts'
import { messageSchema } from './message-schema.ts'

/** Messages and their blocks add a few levels to what a tool's arguments may have. */
const maxTextDepth = maxJsonDepth * 2

/**
 * Parses a JSON text from outside.
 *
 * @throws ContentError `content_invalid` when it is not JSON or is nested deeper than 512 levels. It quotes nothing.
 */
export function parseJson(text: string): JsonValue {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ContentError('content_invalid', 'json', 'expected JSON') // the cause would quote the text
  }
  if (!isJsonValue(value, maxTextDepth)) {
    throw new ContentError('content_invalid', 'json', `expected JSON nested at most ${maxTextDepth} deep`)
  }
  return value
}

/**
 * Reads blocks that someone else wrote: everything that the schema asks, each block within its cap, and the rules of
 * media blocks. All or nothing.
 *
 * @throws ContentError `content_invalid` or `content_too_large`; `field` is the path of the first fault.
 */
export function decodeBlocks(value: unknown): readonly Block[] {
  const blocks = read(cappedBlocksSchema, value, 'blocks')
  checkMedia(blocks, 'blocks')
  return blocks
}

/**
 * Reads one message that someone else wrote, as `decodeBlocks` reads its blocks.
 *
 * @throws ContentError `content_invalid` or `content_too_large`; `field` is the path of the first fault.
 */
export function decodeMessage(value: unknown): Message {
  return messageAt(value, 'message')
}

/**
 * Reads a history that someone else wrote. What stands in it is not compared: `validateTranscript` does that.
 *
 * @throws ContentError `content_invalid` or `content_too_large`; `field` is the path of the first fault.
 */
export function decodeMessages(value: unknown): readonly Message[] {
  if (!Array.isArray(value)) throw new ContentError('content_invalid', 'messages', 'expected a list of messages')
  return value.map((message, index) => messageAt(message, `messages[${index}]`))
}

function messageAt(value: unknown, field: string): Message {
  const message = read(messageSchema, value, field)
  checkMedia(message.blocks, `${field}.blocks`)
  return message
}

function read<T>(schema: Schema<T>, value: unknown, field: string): T {
  const reading = schema.safeParse(copyOf(value, field))
  if (reading.success) return reading.data
  throw contentErrorOf(reading.fault, field)
}

/** What the caller still holds may change. */
function copyOf(value: unknown, field: string): unknown {
  try {
    return structuredClone(value)
  } catch {
    throw new ContentError('content_invalid', field, 'expected JSON') // the cause would quote it
  }
}

function checkMedia(blocks: readonly Block[], field: string): void {
  for (const [index, block] of blocks.entries()) {
    const at = `${field}[${index}]`
    if (block.type === 'tool_result') checkMedia(block.content, `${at}.content`)
    const fault = isMediaBlock(block) ? mediaFault(block) : undefined
    if (fault !== undefined) throw new ContentError('content_invalid', `${at}.${fault.field}`, fault.expected)
  }
}
