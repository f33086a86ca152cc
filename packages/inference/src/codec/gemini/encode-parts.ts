import {
  type AIMessage,
  assertNever,
  type Block,
  type JsonObject,
  type ThinkingBlock,
  type ToolUseBlock,
} from '@looprig/core'
import { unsupported } from '../../failure/unsupported.ts'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { type Accepted, documentPart, mediaPart } from './encode-media.ts'
import { replayedFunctionName } from './function-name.ts'
import { noSignature } from './generation.ts'
import { dataOfOwnState } from './own-state.ts'

/** Encodes what a person said. @throws InferenceError `unsupported` for a block that has no place there. */
export function userParts(blocks: readonly Block[], accepted: Accepted): object[] {
  return blocks.flatMap((block) => {
    if (block.type === 'text') return block.text === '' ? [] : { text: block.text }
    if (block.type === 'image' || block.type === 'audio') return mediaPart(block)
    if (block.type === 'document') return documentPart(block, accepted)
    throw unsupported('a user message', `cannot hold a ${block.type} block in this protocol`)
  })
}

/**
 * Encodes what the model said, in its order and with every signature on the part that it came with. Thinking that this
 * protocol did not sign is left out.
 *
 * @param wantsSignature - the model refuses a step whose first call has none.
 * @throws InferenceError `unsupported` for a block that has no place there.
 */
export function modelParts({ blocks }: AIMessage, wantsSignature: boolean): object[] {
  const parts: object[] = []
  let calls = 0
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
      case 'refusal':
        if (block.text !== '') parts.push({ text: block.text, ...signatureOf(dataOfOwnState(block.state)) })
        break
      case 'thinking':
        parts.push(...thinkingParts(block))
        break
      case 'tool_use':
        parts.push(callPart(block, wantsSignature && calls === 0))
        calls += 1
        break
      case 'image':
      case 'audio':
      case 'document':
        parts.push({ ...mediaPart(block), ...signatureOf(dataOfOwnState(block.state)) })
        break
      case 'tool_result':
        throw unsupported('an assistant message', 'cannot hold a tool_result block in this protocol')
      default:
        assertNever(block, 'block')
    }
  }
  return parts
}

/** The id that the provider itself gave a call; another's, or one that we made, means nothing to it. */
export function wireIdOf({ state }: ToolUseBlock): string | undefined {
  return textOfMember(dataOfOwnState(state)?.id)
}

function thinkingParts({ text, state }: ThinkingBlock): object[] {
  const data = dataOfOwnState(state)
  const part = objectOfMember(data?.part)
  if (part !== undefined) return [part]
  if (textOfMember(data?.thoughtSignature) === undefined) return []
  return [data?.emptyText === true ? { text: '', ...signatureOf(data) } : { text, thought: true, ...signatureOf(data) }]
}

function callPart(block: ToolUseBlock, wantsSignature: boolean): object {
  const id = wireIdOf(block)
  const signature = signatureOf(dataOfOwnState(block.state))
  return {
    functionCall: { ...(id === undefined ? {} : { id }), name: replayedFunctionName(block.name), args: block.input },
    ...(wantsSignature ? { thoughtSignature: noSignature } : {}),
    ...signature,
  }
}

function signatureOf(data: JsonObject | undefined): { readonly thoughtSignature?: string } {
  const thoughtSignature = textOfMember(data?.thoughtSignature)
  return thoughtSignature === undefined ? {} : { thoughtSignature }
}
