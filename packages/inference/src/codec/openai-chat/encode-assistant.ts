import type { AIMessage, ThinkingBlock, ToolUseBlock } from '@looprig/core'
import { mediaInWords } from '../../transcript/media-rule.ts'
import { listOfMember } from '../../wire/json-members.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { misplaced } from '../conversation/misplaced.ts'
import { maxToolName, replayedToolName } from '../schema/legal-name.ts'
import { nineCharacterId } from './mint-id.ts'
import type { ChatProfile, ChatReplay } from './profile.ts'
import { extraContentFormat, reasoningDetailsFormat, stateData } from './state-formats.ts'

/**
 * Encodes a past answer; nothing where nothing of it can be said.
 *
 * @param replay - how its thinking goes back; absent: it does not.
 * @throws InferenceError `unsupported` for a block that has no place in it.
 */
export function encodeAssistant(
  { blocks }: AIMessage,
  profile: ChatProfile,
  replay: ChatReplay | undefined,
): object | undefined {
  let text = ''
  let refusal: string | undefined
  const calls: ToolUseBlock[] = []
  const thoughts: ThinkingBlock[] = []
  for (const block of blocks) {
    if (block.type === 'text') text += block.text
    else if (block.type === 'refusal' && profile.refusalAs === 'text') text += block.text
    else if (block.type === 'refusal') refusal = (refusal ?? '') + block.text
    else if (block.type === 'tool_use') calls.push(block)
    else if (block.type === 'thinking') thoughts.push(block)
    else if (block.type === 'image') text += mediaInWords(block).text
    else throw misplaced(block, 'an assistant message')
  }
  if (text === '' && refusal === undefined && calls.length === 0) return undefined
  return {
    role: 'assistant',
    content: contentOf(text, replay?.as === 'content' ? plainText(thoughts) : ''),
    ...(replay === undefined ? {} : replayed(thoughts, replay)),
    ...(refusal === undefined ? {} : { refusal }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => encodeCall(call, profile)) }),
  }
}

/** The id under which a call, and its result, go out. */
export function wireCallId(id: string, { toolCallIds }: ChatProfile): string {
  return toolCallIds === 'nine-alphanumerics' ? nineCharacterId(id) : id
}

function contentOf(text: string, thought: string): unknown {
  if (thought === '') return text === '' ? null : text
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: thought }] }
  return text === '' ? [thinking] : [thinking, { type: 'text', text }]
}

function replayed(thoughts: readonly ThinkingBlock[], { as, when }: ChatReplay): object {
  if (as === 'content') return {}
  if (as === 'reasoning_details') {
    const details = thoughts.flatMap((block) => listOfMember(stateData(block.state, reasoningDetailsFormat)))
    return details.length === 0 ? {} : { reasoning_details: details }
  }
  const text = plainText(thoughts)
  return text === '' && when !== 'always' ? {} : { [as]: text }
}

/** Thinking that only one issuer may get back is not for this one. */
function plainText(thoughts: readonly ThinkingBlock[]): string {
  let text = ''
  for (const block of thoughts) if (isPlain(block)) text += block.text
  return text
}

function isPlain({ seal, state }: ThinkingBlock): boolean {
  return seal === undefined && (state === undefined || state.format === reasoningDetailsFormat)
}

function encodeCall({ id, name, input, state }: ToolUseBlock, profile: ChatProfile): object {
  const extra = profile.replayExtraContent === true ? stateData(state, extraContentFormat) : undefined
  return {
    id: wireCallId(id, profile),
    type: 'function',
    function: { name: replayedToolName(name, maxToolName), arguments: wellFormedJson(input) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  }
}
