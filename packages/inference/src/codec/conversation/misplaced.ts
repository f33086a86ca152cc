import type { Block } from '@looprig/core'
import type { InferenceError } from '../../failure/errors.ts'
import { unsupported } from '../../failure/unsupported.ts'

/** Makes the error of a block that has no place in a message of its role. */
export function misplaced(block: Block, where: string): InferenceError {
  return unsupported(where, `cannot hold ${block.type === 'audio' ? 'an' : 'a'} ${block.type} block in this protocol`)
}
