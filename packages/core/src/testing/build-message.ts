import { type Block, type ThinkingBlock, type ToolUseBlock, textBlock } from '../content/block.ts'
import type { AIMessage, SystemMessage, ToolResultMessage } from '../content/message.ts'
import type { JsonObject } from '../json/json-value.ts'

/** Makes a system message of one text. */
export function systemMessage(text: string): SystemMessage {
  return { role: 'system', blocks: [textBlock(text)] }
}

/** Makes an assistant message; a text stands for a text block. */
export function assistantMessage(...content: readonly (Block | string)[]): AIMessage {
  return { role: 'assistant', blocks: content.map(toBlock) }
}

/** Makes the result of a call; a text stands for a text block. */
export function resultMessage(toolUseId: string, ...content: readonly (Block | string)[]): ToolResultMessage {
  return { role: 'tool', toolUseId, isError: false, blocks: content.map(toBlock) }
}

/** Makes the result of a call that failed. */
export function errorResultMessage(toolUseId: string, text: string): ToolResultMessage {
  return { role: 'tool', toolUseId, isError: true, blocks: [textBlock(text)] }
}

/** Makes a call. */
export function toolUseBlock(id: string, name: string, input: JsonObject = {}): ToolUseBlock {
  return { type: 'tool_use', id, name, input }
}

/** Makes thinking; with a format it is sealed, as a provider of that format would. */
export function thinkingBlock(text: string, format?: string): ThinkingBlock {
  return format === undefined
    ? { type: 'thinking', text }
    : { type: 'thinking', text, seal: { format, signature: `seal of ${format}` } }
}

function toBlock(content: Block | string): Block {
  return typeof content === 'string' ? textBlock(content) : content
}
