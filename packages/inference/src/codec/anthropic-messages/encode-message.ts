import {
  type AIMessage,
  assertNever,
  type Block,
  isJsonObject,
  type Message,
  type RefusalBlock,
  type TextBlock,
  type ThinkingBlock,
  type ToolResultMessage,
  type ToolUseBlock,
} from '@looprig/core'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { misplaced } from '../conversation/misplaced.ts'
import { isBlank, onlyText } from '../conversation/only-text.ts'
import { replayedToolId, replayedToolName } from '../schema/legal-name.ts'
import { documentPart, imagePart } from './encode-media.ts'
import { opaqueFormat, redactedFormat, sealFormat } from './formats.ts'
import type { Unfinished } from './unfinished.ts'

/** What one message becomes. */
export interface EncodedMessage {
  /** Where it goes. The text of a system message stands above the conversation; results and users share a turn. */
  readonly place: 'system' | 'user' | 'result' | 'assistant'
  /** The content parts as JSON, with commas between them; of a system message its text. Empty: nothing to send. */
  readonly parts: string
  readonly hasImages: boolean
  /** Whether there are files of which more than text is sent. */
  readonly hasFiles: boolean
  /** Whether a cache marker may stand on the last part. */
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
 * @throws InferenceError `unsupported` for a block that has no place in a message of its role.
 */
export function encodeMessage(message: Message): EncodedMessage {
  switch (message.role) {
    case 'system':
      return { place: 'system', ...nothing, parts: onlyText(message.blocks, 'a system message') }
    case 'user':
      return { place: 'user', ...joined(contentParts(message.blocks, 'a user message')) }
    case 'assistant':
      return encodeAssistant(message)
    case 'tool':
      return encodeResult(message)
    default:
      return assertNever(message, 'message role')
  }
}

/** Encodes an assistant message. Thinking at its end is left out: no message may end with it. */
export function encodeAssistant({ blocks }: AIMessage, unfinished?: Unfinished): EncodedMessage {
  const parts = blocks
    .map((block) => ({ part: assistantPart(block), isThinking: block.type === 'thinking' && isOwnThinking(block) }))
    .filter(({ part, isThinking }) => part !== undefined && !(isThinking && unfinished?.keepThinking === false))
  while (parts.at(-1)?.isThinking === true) parts.pop()
  const last = parts.at(-1)?.part
  if (unfinished !== undefined && last !== undefined && 'text' in last && typeof last.text === 'string') {
    parts[parts.length - 1] = { part: { ...last, text: last.text.trimEnd() }, isThinking: false }
  }
  return {
    place: 'assistant',
    ...joined(parts.flatMap(({ part }) => part ?? [])),
    callIds: blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
    startsWithThinking: parts[0]?.isThinking === true,
  }
}

function assistantPart(block: Block): object | undefined {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return isBlank(block.text) ? undefined : { type: 'text', text: block.text, ...citationsOf(block) }
    case 'thinking':
      return thinkingPart(block)
    case 'tool_use':
      return callPart(block)
    case 'image':
    case 'audio':
    case 'document':
    case 'tool_result':
      throw misplaced(block, 'an assistant message')
    default:
      return assertNever(block, 'block')
  }
}

/** Where the text comes from goes back as it came: what the server searched for is found again by it. */
function citationsOf({ state }: TextBlock | RefusalBlock): object {
  const data = state?.format === opaqueFormat && isJsonObject(state.data) ? state.data : {}
  return Array.isArray(data.citations) ? { citations: data.citations } : {}
}

function thinkingPart({ text, seal, state }: ThinkingBlock): object | undefined {
  if (seal?.format === sealFormat) return { type: 'thinking', thinking: text, signature: seal.signature }
  if (state?.format === redactedFormat && typeof state.data === 'string') {
    return { type: 'redacted_thinking', data: state.data }
  }
  return state?.format === opaqueFormat && isJsonObject(state.data) ? state.data : undefined
}

function isOwnThinking({ seal, state }: ThinkingBlock): boolean {
  return seal?.format === sealFormat || state?.format === redactedFormat
}

function callPart({ id, name, input, state }: ToolUseBlock): object {
  const caller = state?.format === opaqueFormat && isJsonObject(state.data) ? state.data.caller : undefined
  return {
    type: 'tool_use',
    id: toolId(id),
    name: replayedToolName(name, maxNameLength),
    input,
    ...(caller === undefined ? {} : { caller }),
  }
}

/** A failure must have text and may have nothing else, so one with pictures is told in words. */
function encodeResult({ toolUseId, isError, blocks }: ToolResultMessage): EncodedMessage {
  const content = contentParts(blocks, 'a tool result')
  const isMixed = isError && content.some((part) => !('text' in part))
  if (isMixed) content.unshift({ type: 'text', text: 'The tool reported an error:' })
  if (content.length === 0) content.push({ type: 'text', text: '(no output)' })
  const part = {
    type: 'tool_result',
    tool_use_id: toolId(toolUseId),
    content,
    ...(isError && !isMixed ? { is_error: true } : {}),
  }
  return { place: 'result', ...joined(content), parts: wellFormedJson(part), mayEndCached: true, toolUseId }
}

/** The parts of what a person or a tool said. */
function contentParts(blocks: readonly Block[], where: string): object[] {
  const parts: object[] = []
  for (const block of blocks) {
    if (block.type === 'image') parts.push(imagePart(block))
    else if (block.type === 'document') parts.push(documentPart(block))
    else if (block.type !== 'text') throw misplaced(block, where)
    else if (!isBlank(block.text)) parts.push({ type: 'text', text: block.text })
  }
  return parts
}

type Content = Pick<EncodedMessage, 'parts' | 'hasImages' | 'hasFiles' | 'mayEndCached'>

const nothing: Content = { parts: '', hasImages: false, hasFiles: false, mayEndCached: false }

function joined(parts: readonly object[]): Content {
  if (parts.length === 0) return nothing
  return {
    parts: parts.map((part) => wellFormedJson(part)).join(','),
    hasImages: parts.some((part) => typeOf(part) === 'image'),
    hasFiles: parts.some((part) => typeOf(part) === 'document' && 'source' in part && typeOf(part.source) !== 'text'),
    mayEndCached: markable.has(typeOf(parts.at(-1))),
  }
}

/** Parts of our own making; of others it is not known whether they take a marker. */
const markable: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'tool_use'])

function typeOf(part: unknown): unknown {
  return typeof part === 'object' && part !== null && 'type' in part ? part.type : undefined
}

/** The longest name of a tool. */
export const maxNameLength = 128

function toolId(id: string): string {
  return replayedToolId(id, /^[\w-]+$/, Number.POSITIVE_INFINITY)
}
