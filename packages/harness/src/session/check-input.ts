import { type Block, blocksSchema, deepFreeze, type UserMessage } from '@looprig/core'
import { SessionError } from '../error/errors.ts'
import { digestInput } from './input-tracker.ts'

/** A copy of what was submitted, frozen, and what makes it the same as another. */
export interface CheckedInput {
  readonly message: UserMessage
  readonly digest: string
}

/** The largest input, in characters of its JSON. */
const maxInputCharacters = 4 * 1024 * 1024

/** Copies and freezes what a caller submits; only texts and images are user content. */
export function checkInput(input: string | readonly Block[]): CheckedInput | SessionError {
  const text = writeInput(typeof input === 'string' ? [{ type: 'text', text: input }] : input)
  if (text === undefined) return new SessionError('input_invalid', 'expected a text, or text and image blocks')
  if (text.length > maxInputCharacters) return new SessionError('input_invalid', 'the input is too large')
  // proved: `writeInput` parsed it; an empty text says nothing, and providers refuse it
  const blocks = (JSON.parse(text) as Block[]).filter((block) => block.type !== 'text' || block.text !== '')
  const says = blocks.some((block) => block.type === 'image' || (block.type === 'text' && block.text.trim() !== ''))
  if (!says) return new SessionError('input_invalid', 'the input is empty')
  const message = deepFreeze<UserMessage>({ role: 'user', blocks })
  return { message, digest: digestInput(blocks) }
}

/** The JSON of user content; `undefined` when it is none, or throws at being read. */
function writeInput(input: readonly Block[]): string | undefined {
  try {
    // a copy first: what the caller still holds may change
    const text = JSON.stringify(input)
    const blocks = blocksSchema.safeParse(JSON.parse(text))
    return blocks.success && blocks.data.every(isUserContent) ? text : undefined
  } catch {
    return undefined
  }
}

function isUserContent(block: Block): boolean {
  if (block.type === 'image') return (block.data === undefined) !== (block.url === undefined)
  return block.type === 'text'
}
