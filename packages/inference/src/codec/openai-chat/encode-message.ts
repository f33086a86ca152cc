import { assertNever, type Block, type Message, type ToolResultMessage, textOf, type UserMessage } from '@looprig/core'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { misplaced } from '../conversation/misplaced.ts'
import { onlyText } from '../conversation/only-text.ts'
import { encodeAssistant, wireCallId } from './encode-assistant.ts'
import { isMedia, isTextDocument, type MediaBlock, mediaPart, type Part } from './encode-parts.ts'
import type { ChatProfile, ChatReplay } from './profile.ts'

/** What a message may hold only for a model that can take it. */
export type MediaKind = MediaBlock['type']

/** What one message becomes. */
export interface EncodedMessage {
  /** The JSON text of the wire message; absent when nothing of the message can be said in this protocol. */
  readonly json?: string
  /** Media of a tool result: content parts for one user message after the whole batch of results. */
  readonly movedParts?: string
  /** The kinds of media in it. */
  readonly media: readonly MediaKind[]
}

/** How a message is written, besides what it says. */
export interface MessageForm {
  readonly profile: ChatProfile
  /** How past thinking goes back; absent: it does not. */
  readonly replay?: ChatReplay | undefined
  /** Whether content is a list of parts, so that one can carry a cache marker; `marked`: the last one does. */
  readonly parts?: 'plain' | 'marked' | undefined
}

/**
 * Encodes one message. Tool results are text only, so their media moves.
 *
 * @throws InferenceError `unsupported` for a block that has no place in a message of its role.
 */
export function encodeMessage(message: Message, form: MessageForm): EncodedMessage {
  switch (message.role) {
    case 'system':
      return textMessage(systemMessage(onlyText(message.blocks, 'a system message'), form))
    case 'user':
      return encodeUser(message, form)
    case 'assistant': {
      const encoded = encodeAssistant(message, form.profile, form.replay)
      return encoded === undefined ? { media: [] } : textMessage(encoded)
    }
    case 'tool':
      return encodeToolResult(message, form)
    default:
      return assertNever(message, 'message role')
  }
}

/** The wire message of instructions. */
export function systemMessage(text: string, form: MessageForm): object {
  return { role: form.profile.systemRole ?? 'system', content: textContent(text, form) }
}

function encodeUser({ blocks }: UserMessage, form: MessageForm): EncodedMessage {
  if (blocks.every((block) => block.type === 'text')) {
    return textMessage({ role: 'user', content: textContent(textOf(blocks), form) })
  }
  const content: Part[] = []
  const media: MediaBlock[] = []
  for (const block of blocks) {
    if (block.type === 'text') content.push({ type: 'text', text: block.text })
    else if (isMedia(block)) {
      content.push(mediaPart(block, form.profile))
      media.push(block)
    } else throw misplaced(block, 'a user message')
  }
  return { json: wellFormedJson({ role: 'user', content: markedLast(content, form) }), media: kindsOf(media) }
}

function encodeToolResult({ blocks, toolUseId }: ToolResultMessage, form: MessageForm): EncodedMessage {
  const media = blocks.filter(isMedia)
  const moved = media.filter((block) => !isTextDocument(block))
  const text = resultText(blocks)
  const notice = `[${countsOf(moved)}: see the message after the tool results]`
  const content = moved.length === 0 ? text : text === '' ? notice : `${text}\n${notice}`
  const id = wireCallId(toolUseId, form.profile)
  const json = wellFormedJson({ role: 'tool', tool_call_id: id, content: textContent(content, form) })
  if (moved.length === 0) return { json, media: [] }
  const label = { type: 'text', text: `${headingOf(moved)} of the tool result ${id}:` }
  const parts = moved.map((block) => mediaPart(block, form.profile))
  return { json, movedParts: wellFormedJson([label, ...parts]).slice(1, -1), media: kindsOf(moved) }
}

function resultText(blocks: readonly Block[]): string {
  const texts: string[] = []
  let run = ''
  for (const block of blocks) {
    if (block.type === 'text') run += block.text
    else if (!isMedia(block)) throw misplaced(block, 'a tool result')
    else if (isTextDocument(block) && block.text !== undefined) {
      texts.push(run, block.name === undefined ? block.text : `${block.name}:\n${block.text}`)
      run = ''
    }
  }
  return [...texts, run].filter((text) => text !== '').join('\n')
}

function textContent(text: string, form: MessageForm): unknown {
  return form.parts === undefined ? text : markedLast([{ type: 'text', text }], form)
}

/** Only text takes a marker. */
function markedLast(parts: readonly Part[], { parts: form }: MessageForm): readonly Part[] {
  if (form !== 'marked') return parts
  const last = parts.findLastIndex((part) => part.type === 'text')
  return parts.map((part, at) => (at === last ? { ...part, cache_control: { type: 'ephemeral' } } : part))
}

/** Text of a file needs nothing of a model. */
function kindsOf(media: readonly MediaBlock[]): readonly MediaKind[] {
  return [...new Set(media.filter((block) => !isTextDocument(block)).map((block) => block.type))]
}

function countsOf(moved: readonly MediaBlock[]): string {
  const kinds = kindsOf(moved).map((kind) => {
    const count = moved.filter((block) => block.type === kind).length
    return kind === 'audio' ? `${count} audio` : `${count} ${kind}${count === 1 ? '' : 's'}`
  })
  return kinds.join(', ')
}

function headingOf(moved: readonly MediaBlock[]): string {
  const [only, other] = kindsOf(moved)
  return other === undefined && only === 'image' ? 'Images' : 'Attachments'
}

function textMessage(message: object): EncodedMessage {
  return { json: wellFormedJson(message), media: [] }
}
