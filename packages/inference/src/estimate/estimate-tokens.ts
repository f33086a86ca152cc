import { assertNever, type Block, type Message, type ProviderState } from '@looprig/core'
import type { InferenceRequest, ToolSpec } from '../client/request.ts'
import { jsonTokens, textTokens } from './estimate-text.ts'

/** What surrounds a message, a call or a tool on the wire. */
const tokensPerPart = 4

/** What most providers make of a picture of usual size, however many bytes it has. */
const tokensPerImage = 1600

/** Of a file or a sound that is given by URL: a page, or a minute. */
const tokensPerUrl = 2000

/** Bytes of a PDF that make a token: a page of 80 KB is some 2000. */
const documentBytesPerToken = 40

/** Bytes of sound that make a token: half a minute of MP3 in 512 KB is some 900. */
const audioBytesPerToken = 600

/** The most that private data of a provider counts: most of it is encrypted and counted otherwise. */
const maxStateTokens = 2000

/**
 * Guesses how many tokens a request is, without a tokenizer: a token for 4 characters of ASCII text, 3 bytes of other
 * text and 3 characters of JSON; 1600 for a picture; files and sound by their bytes. Good to a third for most text; a
 * `tokenEstimator` that learns from real usage is better. Base64 is never counted as text. What a message comes to is
 * kept for as long as it lives, so it must not change.
 */
export function estimateTokens({ system = '', messages, tools = [], output }: InferenceRequest): number {
  let tokens = textTokens(system)
  for (const message of messages) tokens += messageTokens(message)
  for (const tool of tools) tokens += toolTokens(tool)
  if (output !== undefined) tokens += jsonTokens(output.schema)
  return Math.ceil(tokens)
}

const known = new WeakMap<object, number>()

function messageTokens(message: Message): number {
  return remembered(message, () => tokensPerPart + sum(message.blocks))
}

function toolTokens(tool: ToolSpec): number {
  return remembered(
    tool,
    () => 2 * tokensPerPart + textTokens(tool.name + tool.description) + jsonTokens(tool.inputSchema),
  )
}

function remembered(part: object, count: () => number): number {
  let tokens = known.get(part)
  if (tokens === undefined) {
    tokens = count()
    known.set(part, tokens)
  }
  return tokens
}

function sum(blocks: readonly Block[]): number {
  let tokens = 0
  for (const block of blocks) tokens += blockTokens(block)
  return tokens
}

function blockTokens(block: Block): number {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return textTokens(block.text) // the state of what can be read is a signature, or says the same again
    case 'thinking':
      return textTokens(block.text) + (block.text === '' ? stateTokens(block.state) : 0)
    case 'tool_use':
      return tokensPerPart + textTokens(block.name) + jsonTokens(block.input)
    case 'tool_result':
      return tokensPerPart + sum(block.content)
    case 'image':
      return tokensPerImage
    case 'document':
      if (block.data === undefined && block.text !== undefined) return textTokens(block.text)
      return mediaTokens(block.data, documentBytesPerToken)
    case 'audio':
      return mediaTokens(block.data, audioBytesPerToken)
    default:
      return assertNever(block, 'block')
  }
}

function mediaTokens(base64: string | undefined, bytesPerToken: number): number {
  return base64 === undefined ? tokensPerUrl : tokensPerPart + (base64.length * 0.75) / bytesPerToken
}

function stateTokens(state: ProviderState | undefined): number {
  return state === undefined ? 0 : Math.min(maxStateTokens, jsonTokens(state.data))
}
