import {
  type Block,
  blocksSchema,
  deepFreeze,
  headWithin,
  type ImageBlock,
  type ToolResultMessage,
  textBlock,
} from '@looprig/core'
import type { ToolResult } from '@looprig/tools'
import { limitBlocks } from './limit-blocks.ts'

/** A result as history keeps it, with the code that interfaces show. */
export interface ShapedResult {
  readonly message: ToolResultMessage
  readonly code: string | undefined
}

const maxCodeBytes = 64

/** All results of one step together stay below this, so that its record always fits the journal. */
const maxStepResultBytes = 6 * 1024 * 1024

/** The most bytes of one result in a step of `calls` calls. */
export function stepShare(calls: number): number {
  return Math.max(256, Math.floor(maxStepResultBytes / Math.max(1, calls)))
}

/**
 * Makes a tool's result fit for history: valid blocks, never empty, at most `maxBytes`. What is too long keeps its
 * head and tail around a notice.
 */
export function shapeResult(toolUseId: string, result: ToolResult, maxBytes: number): ShapedResult {
  const { blocks, isError, code } = readResult(result)
  return { message: resultMessage(toolUseId, limitBlocks(blocks, maxBytes), isError), code }
}

/** Makes the result of a call that did not run, or whose outcome nobody knows. */
export function notedResult(toolUseId: string, code: string, text: string): ShapedResult {
  return { message: resultMessage(toolUseId, [textBlock(`${code}: ${text}`)], true), code }
}

function resultMessage(toolUseId: string, blocks: readonly Block[], isError: boolean): ToolResultMessage {
  return deepFreeze({ role: 'tool', toolUseId, isError, blocks })
}

interface ReadResult {
  readonly blocks: readonly Block[]
  readonly isError: boolean
  readonly code: string | undefined
}

/** A tool of a third party may return anything; what history could not read back becomes an error result. */
function readResult(result: ToolResult | null | undefined): ReadResult {
  try {
    const { content, isError, code } = result ?? { content: [], isError: true }
    const read = blocksSchema.safeParse(content)
    if (read.success) {
      if (read.data.length === 0) return refusedResult('empty_result', 'error: empty result')
      const blocks = flattenBlocks(read.data)
      // the copy counts: an accessor may have answered otherwise when it was read again
      blocksSchema.parse(blocks)
      const named = typeof code === 'string' ? headWithin(code, maxCodeBytes) : undefined
      return {
        blocks: blocks.length > 0 ? blocks : [textBlock('[empty result]')],
        isError: isError === true,
        code: named,
      }
    }
  } catch {
    // an accessor that throws, or nesting without end
  }
  return refusedResult('invalid_result', 'error: the tool returned no valid content')
}

function refusedResult(code: string, text: string): ReadResult {
  return { blocks: [textBlock(text)], isError: true, code }
}

/**
 * Results hold texts and pictures and nothing that is not of them: nested results are opened, text is made well
 * formed, an empty one is left out since providers refuse it, the rest is named.
 */
function flattenBlocks(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block): readonly Block[] => {
    if (block.type === 'tool_result') return flattenBlocks(block.content)
    if (block.type === 'image') return [plainImage(block)]
    if (block.type === 'text') return block.text === '' ? [] : [textBlock(block.text.toWellFormed())]
    return [textBlock(`[unsupported ${block.type}]`)]
  })
}

function plainImage({ mediaType, data, url, name }: ImageBlock): Block {
  const named = name === undefined ? {} : { name }
  if (data !== undefined && url === undefined) return { type: 'image', mediaType, data, ...named }
  if (url !== undefined && data === undefined) return { type: 'image', mediaType, url, ...named }
  return textBlock('[invalid image]')
}

/** The start of a result for interfaces: at most 2 KiB and 20 lines. */
export function previewResult(message: ToolResultMessage): string {
  const text = message.blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
  const lines = headWithin(text, 2_048).split('\n').slice(0, 20).join('\n')
  return lines.length < text.length ? `${lines}\n… [truncated]` : lines
}
