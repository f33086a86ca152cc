import type { Arbitrary } from 'fast-check'
import { textBlock } from '../content/block.ts'
import { type Message, userMessage } from '../content/message.ts'
import type { TranscriptIssueCode } from '../transcript/transcript-issue.ts'
import { assistantMessage, resultMessage, systemMessage, thinkingBlock, toolUseBlock } from './build-message.ts'
import type { FastCheck } from './fast-check.ts'

/** A transcript with a fault. */
export interface IllegalTranscript {
  readonly messages: readonly Message[]
  /** One of the issues that it has. */
  readonly code: TranscriptIssueCode
  /** Whether it is at fault only as a request. */
  readonly asRequest: boolean
}

interface Fault {
  readonly messages: readonly Message[]
  readonly at?: 'front' | 'end'
  readonly asRequest?: true
}

/** No generator of calls makes these. */
const idA = 'illegal-a'
const idB = 'illegal-b'
const two = assistantMessage(toolUseBlock(idA, 'f'), toolUseBlock(idB, 'f'))
const one = assistantMessage(toolUseBlock(idA, 'f'))

/** What makes each issue. A code that is missing here does not compile. */
const faults: { readonly [Code in TranscriptIssueCode]: Fault } = {
  orphan_tool_call: { messages: [two, resultMessage(idA, 'ok')] },
  orphan_tool_result: { messages: [resultMessage(idA, 'ok')] },
  result_before_call: { messages: [resultMessage(idA, 'ok'), one, resultMessage(idA, 'ok')] },
  late_tool_result: { messages: [one, userMessage('well?'), resultMessage(idA, 'ok')] },
  duplicate_tool_result: { messages: [one, resultMessage(idA, 'ok'), resultMessage(idA, 'again')] },
  result_out_of_order: { messages: [two, resultMessage(idB, 'ok'), resultMessage(idA, 'ok')] },
  duplicate_tool_use_id: {
    messages: [
      assistantMessage(toolUseBlock(idA, 'f'), toolUseBlock(idA, 'g')),
      resultMessage(idA, 'ok'),
      resultMessage(idA, 'ok'),
    ],
  },
  missing_tool_use_id: { messages: [assistantMessage(toolUseBlock('', 'f')), resultMessage('', 'ok')] },
  missing_tool_name: { messages: [assistantMessage(toolUseBlock(idA, '')), resultMessage(idA, 'ok')] },
  empty_message: { messages: [{ role: 'user', blocks: [] }] },
  empty_assistant: { messages: [assistantMessage(thinkingBlock('hm', 'anthropic'), '')] },
  misplaced_block: { messages: [{ role: 'user', blocks: [textBlock('x'), thinkingBlock('hm')] }] },
  invalid_media: { messages: [{ role: 'user', blocks: [{ type: 'image', mediaType: 'image/png' }] }] },
  empty_text: { messages: [userMessage('')], asRequest: true },
  empty_result: { messages: [one, resultMessage(idA)], asRequest: true },
  misplaced_system: { messages: [systemMessage('Be brief.')], at: 'end', asRequest: true },
  consecutive_assistant: { messages: [assistantMessage('a'), assistantMessage('b')], asRequest: true },
  starts_with_assistant: { messages: [assistantMessage('a')], at: 'front', asRequest: true },
  unanswerable_end: { messages: [assistantMessage('a')], at: 'end', asRequest: true },
}

const codes = Object.keys(faults) as TranscriptIssueCode[] // proved: `faults` has exactly these keys

/** Makes a generator of transcripts with one fault between legal messages. */
export function illegalTranscriptArbitrary(
  fc: FastCheck,
  legal: Arbitrary<readonly Message[]>,
): Arbitrary<IllegalTranscript> {
  return fc.tuple(fc.constantFrom(...codes), legal, fc.nat()).map(([code, messages, pick]) => {
    const { messages: fault, at, asRequest = false } = faults[code]
    const places = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
    const between = at === 'end' ? messages.length : places[at === 'front' ? 0 : pick % Math.max(1, places.length)]
    return { messages: messages.toSpliced(between ?? messages.length, 0, ...fault), code, asRequest }
  })
}
