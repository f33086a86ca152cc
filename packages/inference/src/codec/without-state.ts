import type { AIMessage, Block, Message } from '@looprig/core'
import type { InferenceRequest } from '../client/request.ts'

/**
 * Makes the function that takes all private data of one protocol out of a request: for a provider that does not know
 * its own data again, since another key, region or model made it. A message is changed once and kept as long as it
 * lives, so that its encoded text is kept too. Gives `undefined` for a request that holds none.
 */
export function stateRemover(format: string): (request: InferenceRequest) => InferenceRequest | undefined {
  const made = new WeakMap<Message, AIMessage>()
  const without = (message: Message): Message => {
    if (message.role !== 'assistant') return message
    const known = made.get(message)
    if (known !== undefined) return known
    if (!message.blocks.some((block) => isPrivate(block, format))) return message
    const changed = { ...message, blocks: message.blocks.flatMap((block) => publicPart(block, format)) }
    made.set(message, changed)
    return changed
  }
  return (request) => {
    const messages = request.messages.map(without)
    return messages.every((message, at) => message === request.messages[at]) ? undefined : { ...request, messages }
  }
}

function isPrivate(block: Block, format: string): boolean {
  return block.type !== 'tool_result' && block.state?.format === format
}

/** Thinking without its data is of no use to the provider. */
function publicPart(block: Block, format: string): readonly Block[] {
  if (block.type === 'tool_result' || block.state?.format !== format) return [block]
  if (block.type === 'thinking') return []
  const { state: _, ...rest } = block
  return [rest]
}
