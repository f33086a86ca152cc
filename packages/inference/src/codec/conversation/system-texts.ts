import { MessageFold } from './message-fold.ts'
import { onlyText } from './only-text.ts'

/**
 * Makes what gathers the texts of system messages, for protocols that have one place for instructions above the
 * conversation. It throws `unsupported` for a block that is no text.
 */
export function systemTextsFold(): MessageFold<string[]> {
  return new MessageFold<string[]>(
    () => [],
    (texts, { role, blocks }) => {
      if (role === 'system') texts.push(onlyText(blocks, 'a system message'))
    },
    (texts) => [...texts],
  )
}
