import {
  type AIMessage,
  assertNever,
  type Block,
  type Message,
  type ThinkingBlock,
  type ToolResultMessage,
} from '@looprig/core'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import type { Unfinished } from '../anthropic-messages/unfinished.ts'
import { misplaced } from '../conversation/misplaced.ts'
import { isBlank, onlyText } from '../conversation/only-text.ts'
import { replayedToolId, replayedToolName } from '../schema/legal-name.ts'
import { DocumentNames } from './document-names.ts'
import { audioPart, documentPart, imagePart } from './encode-media.ts'
import { redactedFormat, sealFormat } from './formats.ts'

/** What one message becomes. */
export interface EncodedMessage {
  /** Where it goes. The text of a system message stands above the conversation. */
  readonly place: 'system' | 'user' | 'result' | 'assistant'
  /** The content parts as JSON, with commas between them; of a system message its text. Empty: nothing to send. */
  readonly parts: string
  /** The kinds of media in it: `image`, `audio`, `document`. */
  readonly media: readonly string[]
  /** The names that its documents got. */
  readonly documents: readonly string[]
  /** Whether a cache marker may stand after it. */
  readonly mayEndCached: boolean
  /** The call that a result answers, by the id of the history. */
  readonly toolUseId?: string
  /** The calls of an assistant message, by the ids of the history. */
  readonly callIds?: readonly string[]
  /** Whether the first part of an assistant message is thinking. */
  readonly startsWithThinking?: boolean
}

/**
 * Encodes one message. Thinking goes back exactly as it came and where it stood, if it came from this protocol; other
 * thinking, and a text without anything in it, is left out, since the provider refuses both.
 *
 * @param names - gives the documents their names.
 * @throws InferenceError `unsupported` for a block that has no place in a message of its role.
 */
export function encodeMessage(message: Message, names: DocumentNames = new DocumentNames()): EncodedMessage {
  switch (message.role) {
    case 'system':
      return { place: 'system', ...joined([]), parts: onlyText(message.blocks, 'a system message') }
    case 'user':
      return { place: 'user', ...joined(withText(contentParts(message.blocks, 'a user message', names))) }
    case 'assistant':
      return encodeAssistant(message)
    case 'tool':
      return encodeResult(message, names)
    default:
      return assertNever(message, 'message role')
  }
}

/** Encodes an assistant message. Thinking at its end is left out: no message may end with it. */
export function encodeAssistant({ blocks }: AIMessage, unfinished?: Unfinished): EncodedMessage {
  const parts = blocks
    .map(assistantPart)
    .filter((part) => part !== undefined)
    .filter((part) => !('reasoningContent' in part && unfinished?.keepThinking === false))
  for (let last = parts.at(-1); last !== undefined && 'reasoningContent' in last; last = parts.at(-1)) parts.pop()
  const last = parts.at(-1)
  if (unfinished !== undefined && last !== undefined && 'text' in last && typeof last.text === 'string') {
    parts[parts.length - 1] = { text: last.text.trimEnd() }
  }
  const [first] = parts
  return {
    place: 'assistant',
    ...joined(parts),
    callIds: blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
    startsWithThinking: first !== undefined && 'reasoningContent' in first,
  }
}

function assistantPart(block: Block): object | undefined {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return isBlank(block.text) ? undefined : { text: block.text }
    case 'thinking':
      return thinkingPart(block)
    case 'tool_use': {
      const { id, name, input } = block
      return { toolUse: { toolUseId: toolId(id), name: replayedToolName(name, maxNameLength), input } }
    }
    case 'image':
    case 'audio':
    case 'document':
    case 'tool_result':
      throw misplaced(block, 'an assistant message')
    default:
      return assertNever(block, 'block')
  }
}

function thinkingPart({ text, seal, state }: ThinkingBlock): object | undefined {
  if (seal?.format === sealFormat) return { reasoningContent: { reasoningText: { text, signature: seal.signature } } }
  if (state?.format !== redactedFormat || typeof state.data !== 'string') return undefined
  return { reasoningContent: { redactedContent: state.data } }
}

/** A failure is marked by its status, but one with more than text is told in words: models refuse the mark there. */
function encodeResult({ toolUseId, isError, blocks }: ToolResultMessage, names: DocumentNames): EncodedMessage {
  const content = withText(contentParts(blocks, 'a tool result', names))
  const isMixed = isError && content.some((part) => !('text' in part))
  if (isMixed) content.unshift({ text: 'The tool reported an error:' })
  if (content.length === 0) content.push({ text: '(no output)' })
  const { media, documents } = joined(content)
  const status = isError && !isMixed ? { status: 'error' } : {}
  const parts = wellFormedJson({ toolResult: { toolUseId: toolId(toolUseId), content, ...status } })
  return { place: 'result', parts, media, documents, mayEndCached: true, toolUseId }
}

/** The parts of what a person or a tool said. */
function contentParts(blocks: readonly Block[], where: string, names: DocumentNames): object[] {
  const parts: object[] = []
  for (const block of blocks) {
    if (block.type === 'image') parts.push(imagePart(block))
    else if (block.type === 'audio') parts.push(audioPart(block))
    else if (block.type === 'document') parts.push(documentPart(block, names))
    else if (block.type !== 'text') throw misplaced(block, where)
    else if (!isBlank(block.text)) parts.push({ text: block.text })
  }
  return parts
}

/** A document must have a text beside it. */
function withText(parts: object[]): object[] {
  const isMute = parts.some((part) => 'document' in part) && !parts.some((part) => 'text' in part)
  return isMute ? [{ text: 'See the attached document.' }, ...parts] : parts
}

function joined(parts: readonly object[]): Pick<EncodedMessage, 'parts' | 'media' | 'documents' | 'mayEndCached'> {
  return {
    parts: parts.map((part) => wellFormedJson(part)).join(','),
    media: parts.flatMap((part) => Object.keys(part)).filter((kind) => /^(?:image|audio|document)$/.test(kind)),
    documents: parts.flatMap(documentName),
    mayEndCached: parts.length > 0,
  }
}

function documentName(part: object): string[] {
  const document: unknown = 'document' in part ? part.document : undefined
  if (typeof document !== 'object' || document === null || !('name' in document)) return []
  return typeof document.name === 'string' ? [document.name] : []
}

/** The longest name of a tool. */
export const maxNameLength = 64

function toolId(id: string): string {
  return replayedToolId(id, /^[\w.:-]+$/, 64)
}
