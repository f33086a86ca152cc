import type { Block } from '@looprig/core'
import { MessageFold } from '../conversation/message-fold.ts'

/** Makes what gathers the kinds of blocks that people and tools gave, for the capabilities that they need. */
export function mediaTypesFold(): MessageFold<Set<Block['type']>> {
  return new MessageFold<Set<Block['type']>>(
    () => new Set(),
    (types, { role, blocks }) => {
      if (role !== 'assistant') for (const { type } of blocks) types.add(type)
    },
    (types) => new Set(types),
  )
}
