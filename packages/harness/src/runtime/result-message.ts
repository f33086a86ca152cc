import {
  type Block,
  blocksSchema,
  byteLength,
  deepFreeze,
  headWithin,
  type ToolResultMessage,
  tailWithin,
  textBlock,
} from '@looprig/core'
import { errorResult, type ToolResult } from '@looprig/tools'

/** A result as history keeps it, with the code that interfaces show. */
export interface ShapedResult {
  readonly message: ToolResultMessage
  readonly code: string | undefined
}

/**
 * Makes a tool's result fit for history: valid blocks, never empty, at most `maxBytes`. What is too long keeps its
 * head and tail around a notice.
 */
export function shapeResult(toolUseId: string, result: ToolResult, maxBytes: number): ShapedResult {
  const checked = checkResult(result)
  const blocks = limitBlocks(flattenBlocks(checked.content), maxBytes)
  return { message: resultMessage(toolUseId, blocks, checked.isError), code: checked.code }
}

/** Makes the result of a call that did not run, or whose outcome nobody knows. */
export function notedResult(toolUseId: string, code: string, text: string): ShapedResult {
  return { message: resultMessage(toolUseId, [textBlock(`${code}: ${text}`)], true), code }
}

function resultMessage(toolUseId: string, blocks: readonly Block[], isError: boolean): ToolResultMessage {
  return deepFreeze({ role: 'tool', toolUseId, isError, blocks })
}

/** A tool of a third party may return anything; what history could not read back becomes an error result. */
function checkResult(result: ToolResult): ToolResult {
  const blocks = blocksSchema.safeParse(result?.content)
  if (!blocks.success) return errorResult('invalid_result', 'error: the tool returned no valid content')
  if (blocks.data.length === 0) return errorResult('empty_result', 'error: empty result')
  return { ...result, content: blocks.data, isError: result.isError === true }
}

/** Results hold texts and images: nested results are opened, text is made well formed, the rest is named. */
function flattenBlocks(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block): readonly Block[] => {
    if (block.type === 'tool_result') return flattenBlocks(block.content)
    if (block.type === 'image') return [block]
    if (block.type === 'text') return [textBlock(block.text.toWellFormed())]
    return [textBlock(`[unsupported ${block.type}]`)]
  })
}

function limitBlocks(blocks: readonly Block[], maxBytes: number): readonly Block[] {
  const sizes = blocks.map(blockBytes)
  let left = maxBytes
  return blocks.map((block, index) => {
    const size = sizes[index] ?? 0
    const limited = size <= left ? block : cutBlock(block, size, left)
    left -= Math.min(size, left)
    return limited
  })
}

/** What a block takes in the journal: a control character is one byte here and six there. */
function blockBytes(block: Block): number {
  if (block.type === 'text') return byteLength(JSON.stringify(block.text)) - 2
  return block.type === 'image' ? (block.data?.length ?? 0) + (block.url?.length ?? 0) : 0
}

function cutBlock(block: Block, size: number, maxBytes: number): Block {
  if (block.type !== 'text') return textBlock(`[${block.type} of ${size} bytes left out: the result is too long]`)
  const total = byteLength(block.text)
  const half = Math.floor(Math.max(0, maxBytes - 100) / 2 / escapedWidth(block.text, total, size))
  const head = headWithin(block.text, half)
  const tail = tailWithin(block.text, half)
  const omitted = total - byteLength(head) - byteLength(tail)
  return textBlock(`${head}\n[tool output truncated: omitted ${omitted} of ${total} bytes]\n${tail}`)
}

/** The most bytes that one byte of this text can take in JSON. */
function escapedWidth(text: string, total: number, size: number): number {
  if (size === total) return 1
  return /[\u0000-\u0007\u000b\u000e-\u001f]/.test(text) ? 6 : 2
}

/** The start of a result for interfaces: at most 2 KiB and 20 lines. */
export function previewResult(message: ToolResultMessage): string {
  const text = message.blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
  const lines = headWithin(text, 2_048).split('\n').slice(0, 20).join('\n')
  return lines.length < text.length ? `${lines}\n… [truncated]` : lines
}
