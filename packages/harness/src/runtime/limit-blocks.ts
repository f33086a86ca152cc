import { type Block, byteLength, headWithin, tailWithin, textBlock } from '@looprig/core'

/** The most parts of one result: more than any reader of a journal takes would make all of it unreadable. */
const maxParts = 1_000

/**
 * Keeps blocks, in order, while they fit into `maxBytes` of the journal. A text that does not fit keeps its head and
 * tail around a notice; a picture that does not is named, and so is what comes when nothing more fits or is taken.
 */
export function limitBlocks(blocks: readonly Block[], maxBytes: number): readonly Block[] {
  const [only] = blocks
  // a character takes at most six bytes
  if (blocks.length === 1 && only?.type === 'text' && only.text.length * 6 <= maxBytes) return blocks
  const kept: Block[] = []
  let left = maxBytes
  for (const [index, block] of blocks.entries()) {
    if (left <= 0 || index === maxParts) {
      kept.push(textBlock(`[${blocks.length - index} more parts left out: the result is too long]`))
      break
    }
    const size = journalBytes(block)
    const fitting = size <= left ? block : cutBlock(block, size, left)
    // no room is left behind a cut text, some is behind a picture that was left out
    left = fitting !== block && block.type === 'text' ? 0 : left - journalBytes(fitting)
    kept.push(fitting)
  }
  return kept
}

/** What a block takes in the journal: a control character is one byte here and six there. */
function journalBytes(block: Block): number {
  return byteLength(JSON.stringify(block.type === 'text' ? block.text : block)) - 2
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
