import { type Block, byteLength, type Message } from '@looprig/core'

/** What an image counts, however large its file is: providers scale it down first. */
const imageTokens = 1_600
const bytesPerToken = 4

/** The size of frozen messages is asked again at each boundary near the limit. */
const known = new WeakMap<Message, number>()

/**
 * The size of messages for the choice of what is kept: bytes of their JSON by four, a fixed number per image. A rule of
 * thumb, so it never decides whether a request may be sent.
 */
export function roughTokens(messages: readonly Message[]): number {
  let tokens = 0
  for (const message of messages) tokens += messageTokens(message)
  return tokens
}

function messageTokens(message: Message): number {
  let tokens = known.get(message)
  if (tokens === undefined) {
    tokens = blocksTokens(message.blocks)
    known.set(message, tokens)
  }
  return tokens
}

function blocksTokens(blocks: readonly Block[]): number {
  let tokens = 0
  for (const block of blocks) tokens += blockTokens(block)
  return tokens
}

function blockTokens(block: Block): number {
  if (block.type === 'image') return imageTokens
  if (block.type === 'tool_result') return blocksTokens(block.content)
  return Math.ceil(byteLength(JSON.stringify(block)) / bytesPerToken)
}
