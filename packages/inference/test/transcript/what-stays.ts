import type { AIMessage, Block, JsonObject, Message } from '@looprig/core'

/** What of a history must survive every switch of provider. */
export interface Kept {
  /** What people, models and tools said in words, in order. */
  readonly texts: readonly string[]
  /** What the system said, which may be moved. */
  readonly instructions: readonly string[]
  /** Every call with what came back for it, in order. */
  readonly calls: readonly { readonly name: string; readonly input: JsonObject; readonly result: readonly string[] }[]
}

/** Reads what must survive of a history whose calls have their results right behind them. */
export function whatStays(messages: readonly Message[]): Kept {
  const conversation = messages.filter(({ role }) => role !== 'system' && role !== 'tool')
  return {
    texts: conversation.flatMap(({ blocks }) => textsOf(blocks)),
    instructions: messages.filter(({ role }) => role === 'system').flatMap(({ blocks }) => textsOf(blocks)),
    calls: messages.flatMap((message, index) =>
      message.role === 'assistant' ? callsOf(message, messages.slice(index + 1)) : [],
    ),
  }
}

/** Says whether all of `part` stands in `whole`, in order. */
export function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0
  for (const text of whole) if (at < part.length && text === part[at]) at += 1
  return at === part.length
}

function callsOf({ blocks }: AIMessage, after: readonly Message[]): Kept['calls'] {
  return blocks
    .filter((block) => block.type === 'tool_use')
    .map(({ name, input }, position) => ({ name, input, result: textsOf(after[position]?.blocks ?? []) }))
}

/** A text of nothing but white space says nothing. */
function textsOf(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) => {
    const isSaid = (block.type === 'text' || block.type === 'refusal') && block.text.trim() !== ''
    return isSaid ? [block.text] : []
  })
}
