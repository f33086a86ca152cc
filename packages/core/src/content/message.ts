import type { Usage } from '../usage/usage.ts'
import { type Block, textBlock } from './block.ts'

/** Instructions that stand above the conversation. */
export interface SystemMessage {
  readonly role: 'system'
  readonly blocks: readonly Block[]
}

/** What a person or a machine said to the agent. */
export interface UserMessage {
  readonly role: 'user'
  readonly blocks: readonly Block[]
}

/** One response of a model, blocks in the order the model gave them. */
export interface AIMessage {
  readonly role: 'assistant'
  readonly blocks: readonly Block[]
  readonly usage?: Usage
  /** The model that answered, as the provider names it. */
  readonly model?: string
}

/** The result of one tool call. It follows the `AIMessage` that asked, one per call, in call order. */
export interface ToolResultMessage {
  readonly role: 'tool'
  readonly toolUseId: string
  readonly isError: boolean
  readonly blocks: readonly Block[]
}

/** One entry of a transcript, told apart by `role`. */
export type Message = SystemMessage | UserMessage | AIMessage | ToolResultMessage

/** Makes a user message of one text. */
export function userMessage(text: string): UserMessage {
  return { role: 'user', blocks: [textBlock(text)] }
}
