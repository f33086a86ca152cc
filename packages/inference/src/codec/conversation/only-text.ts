import { type Block, textOf } from '@looprig/core'
import { misplaced } from './misplaced.ts'

/**
 * The text of blocks that may be nothing else.
 *
 * @throws InferenceError `unsupported` for another block.
 */
export function onlyText(blocks: readonly Block[], where: string): string {
  for (const block of blocks) if (block.type !== 'text') throw misplaced(block, where)
  return textOf(blocks)
}

/** Some providers refuse a text of nothing but white space. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
