import type { JsonObject, JsonValue } from '../json/json-value.ts'

/** Text for a person or a model. */
export interface TextBlock {
  readonly type: 'text'
  readonly text: string
  readonly state?: ProviderState
}

/** The model declined. Its presence counts, even when the text is empty; it is never merged with text. */
export interface RefusalBlock {
  readonly type: 'refusal'
  readonly text: string
  readonly state?: ProviderState
}

/** A provider's signature over visible thinking. Only the codec of the same `format` may send it back. */
export interface ThinkingSeal {
  /** The codec that may replay it, for example `anthropic`. */
  readonly format: string
  readonly signature: string
}

/** Opaque data of a provider. Only the codec of the same `format` may send it back. */
export interface ProviderState {
  /** The codec that may replay it, for example `openai-responses`. */
  readonly format: string
  readonly data: JsonValue
}

/** What the model thought, as far as the provider shows it. */
export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly text: string
  readonly seal?: ThinkingSeal
  readonly state?: ProviderState
}

/** A tool call that the model asked for. */
export interface ToolUseBlock {
  readonly type: 'tool_use'
  /** The provider's id of the call, unique within its message. */
  readonly id: string
  readonly name: string
  /** The arguments; `{}` where the model's text was not a JSON object. */
  readonly input: JsonObject
  readonly state?: ProviderState
}

/** The result of one tool call, where it stands inside other content. History uses `ToolResultMessage`. */
export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly toolUseId: string
  readonly content: readonly Block[]
  readonly isError: boolean
}

/** A picture: exactly one of `data` (base64) and `url`. */
export interface ImageBlock {
  readonly type: 'image'
  /** For example `image/png`. */
  readonly mediaType: string
  readonly data?: string
  readonly url?: string
  readonly name?: string
  /** What it shows, in words: for a model that takes no pictures. */
  readonly text?: string
  readonly state?: ProviderState
}

/** A recording of sound: exactly one of `data` (base64) and `url`. */
export interface AudioBlock {
  readonly type: 'audio'
  /** For example `audio/wav`. */
  readonly mediaType: string
  readonly data?: string
  readonly url?: string
  readonly name?: string
  /** What is said in it: for a model that does not listen. */
  readonly text?: string
  readonly state?: ProviderState
}

/** A file: one of `data` (base64) and `url`, or neither where its `text` is all there is. */
export interface DocumentBlock {
  readonly type: 'document'
  /** For example `application/pdf`. */
  readonly mediaType: string
  readonly data?: string
  readonly url?: string
  readonly name?: string
  /** Its content as text: beside `data` for a model that does not read the format, or alone. */
  readonly text?: string
  readonly state?: ProviderState
}

/** One typed piece of a message: plain JSON, told apart by `type`. */
export type Block =
  | TextBlock
  | RefusalBlock
  | ThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | AudioBlock
  | DocumentBlock

/** Makes a text block. */
export function textBlock(text: string): TextBlock {
  return { type: 'text', text }
}

/** Joins the text blocks of a message; everything else is left out. */
export function textOf(blocks: readonly Block[]): string {
  let text = ''
  for (const block of blocks) if (block.type === 'text') text += block.text
  return text
}
