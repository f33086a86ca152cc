import type { Arbitrary } from 'fast-check'
import { type Block, type ToolUseBlock, textBlock } from '../content/block.ts'
import type { AIMessage, Message, UserMessage } from '../content/message.ts'
import type { BlockArbitraries } from './block-arbitraries.ts'
import type { FastCheck } from './fast-check.ts'
import type { ValueArbitraries } from './value-arbitraries.ts'

/** What kind of legal transcript is made. */
export interface TranscriptShape {
  /** One that a strict provider takes as a request, so `validateTranscript` with `asRequest` finds nothing. Default: false. */
  readonly asRequest?: boolean | undefined
}

/** One step: an assistant message and the results of its calls. */
interface Step {
  readonly blocks: readonly Block[]
  readonly results: readonly { readonly blocks: readonly Block[]; readonly isError: boolean }[]
}

/** Makes a generator of legal transcripts: turns of one or two user messages and steps with calls and results. */
export function transcriptArbitrary(
  fc: FastCheck,
  values: ValueArbitraries,
  blocks: BlockArbitraries,
  { asRequest = false }: TranscriptShape,
): Arbitrary<readonly Message[]> {
  const says = blocks.textBlock.map((block) => (block.text === '' ? { ...block, text: 'said' } : block))
  const text = asRequest ? says : blocks.textBlock
  const spoken = fc.oneof<Arbitrary<Block>[]>(text, blocks.refusal, blocks.thinking, blocks.media)
  const shown = fc.oneof<Arbitrary<Block>[]>(text, blocks.media)
  const result = fc.record({
    blocks: fc.array(shown, { minLength: asRequest ? 1 : 0, maxLength: 2 }),
    isError: fc.boolean(),
  })
  const step: Arbitrary<Step> = fc.record({
    blocks: fc
      .tuple(fc.array(spoken, { maxLength: 2 }), fc.array(blocks.toolUse, { minLength: 1, maxLength: 3 }), spoken)
      .map(([before, calls, after]) => [...before, ...calls, after]),
    results: fc.array(result, { minLength: 3, maxLength: 3 }),
  })
  const system = fc.array(says, { minLength: 1, maxLength: 2 }).map((all): Message => ({ role: 'system', blocks: all }))
  const user = fc
    .array(shown, { minLength: 1, maxLength: 3 })
    .map((all): UserMessage => ({ role: 'user', blocks: all }))
  const answer = fc
    .record(
      { blocks: fc.tuple(fc.array(spoken, { maxLength: 2 }), says), usage: values.usage, model: fc.constant('m-1') },
      { requiredKeys: ['blocks'] },
    )
    .map(
      ({ blocks: [before, last], ...rest }): AIMessage => ({ role: 'assistant', blocks: [...before, last], ...rest }),
    )
  const turn = fc.tuple(
    fc.array(user, { minLength: 1, maxLength: 2 }),
    fc.array(step, { maxLength: 2 }),
    answer,
    asRequest ? fc.constant([]) : fc.array(fc.oneof<Arbitrary<Message>[]>(system, answer), { maxLength: 1 }),
  )
  return fc
    .tuple(fc.array(system, { maxLength: 1 }), fc.array(turn, { maxLength: 3 }), user)
    .map(([head, turns, last]) => [
      ...head,
      ...turns.flatMap(([users, steps, end, extra]) => [...users, ...steps.flatMap(messagesOf), end, ...extra]),
      ...(asRequest ? [last] : []),
    ])
}

/** Ids may come again in other messages, never within one. */
function messagesOf({ blocks, results }: Step): readonly Message[] {
  const ids = new Set<string>()
  const named = blocks.map((block): Block => {
    if (block.type !== 'tool_use') return block
    const id = ids.has(block.id) ? `${block.id}-${ids.size}` : block.id
    ids.add(id)
    return { ...block, id }
  })
  const calls = named.filter((block): block is ToolUseBlock => block.type === 'tool_use')
  const answers = calls.map(({ id }, index): Message => {
    const { blocks: content, isError } = results[index] ?? { blocks: [textBlock('ok')], isError: false }
    return { role: 'tool', toolUseId: id, isError, blocks: content }
  })
  return [{ role: 'assistant', blocks: named }, ...answers]
}
