import { type Message, validateTranscript } from '@looprig/core'
import { contentArbitraries } from '@looprig/core/testing'
import {
  adaptTranscript,
  InferenceError,
  type TranscriptRules,
  transcriptAdapter,
  transcriptRules,
} from '@looprig/inference'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWithin, type Kept, whatStays } from './what-stays.ts'

const arbitraries = contentArbitraries(fc)
const apis = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini', 'bedrock-converse'] as const
const everything = { images: true, audio: true, documents: true }

/** A server that insists on everything. */
const strictest: TranscriptRules = {
  ...transcriptRules('openai-chat'),
  target: 'strictest',
  unsealedThinking: 'drop',
  toolIds: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9 },
  toolNames: { pattern: /^[a-z\d]{1,12}$/, maxLength: 12 },
  refusals: 'text',
  blankText: 'drop',
  emptyResults: 'fill',
  systemMessages: 'user',
  consecutiveRoles: 'merge',
  beginning: 'user',
}

const rules = fc.oneof(
  fc.tuple(fc.constantFrom(...apis), fc.constantFrom({}, everything)).map(([api, able]) => transcriptRules(api, able)),
  fc.constant(strictest),
)
const anyHistory = fc.oneof(
  arbitraries.transcript(),
  arbitraries.illegalTranscript.map(({ messages }) => messages),
  fc.array(arbitraries.message, { maxLength: 8 }),
)

/** Messages of nothing but private thinking are kept: the provider that made it may want it back. */
function issuesOf(messages: readonly Message[]) {
  return validateTranscript(messages).filter(({ code, index }) => {
    const isPrivate = messages[index]?.blocks.some(
      (block) => block.type === 'thinking' || (block.type === 'text' && block.state),
    )
    return !(code === 'empty_assistant' && isPrivate)
  })
}

describe('adaptTranscript', () => {
  it('makes any history legal, and adapting it again changes nothing', () => {
    fc.assert(
      fc.property(anyHistory, rules, (messages, target) => {
        const { messages: adapted } = adaptTranscript(messages, target)
        const again = adaptTranscript(adapted, target)

        expect(issuesOf(adapted)).toEqual([])
        expect(again.changes).toEqual([])
        expect(again.messages).toEqual(adapted)
      }),
      { numRuns: 150 },
    )
  })

  it('keeps every text, call and result of a legal history', () => {
    fc.assert(
      fc.property(arbitraries.transcript(), rules, (messages, target) => {
        const before = whatStays(messages)
        const after = whatStays(adaptTranscript(messages, target).messages)

        expectKept(before, after, target)
        expectSameNames(before, after)
      }),
      { numRuns: 150 },
    )
  })

  it('keeps every text, call and result of a session that goes from provider to provider and back', () => {
    const providers = ['anthropic-messages', 'openai-chat', 'gemini', 'bedrock-converse', 'anthropic-messages'] as const
    fc.assert(
      fc.property(fc.array(arbitraries.transcript({ asRequest: true }), { minLength: 5, maxLength: 5 }), (parts) => {
        const history: Message[] = []
        let carried: readonly Message[] = []
        for (const [turn, api] of providers.entries()) {
          const target = transcriptRules(api, turn % 2 === 0 ? everything : {})
          history.push(...(parts[turn] ?? []))
          // of the whole history, as a harness does, and of what the last provider was sent
          const direct = adaptTranscript(history, target).messages
          carried = adaptTranscript([...carried, ...(parts[turn] ?? [])], target).messages

          expectKept(whatStays(history), whatStays(direct), target)
          expectKept(whatStays(history), whatStays(carried), target)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('gives every call of a history an id of its own, and its result the same one', () => {
    fc.assert(
      fc.property(anyHistory, rules, (messages, target) => {
        const adapted = adaptTranscript(messages, target).messages
        const calls = adapted.flatMap(({ blocks }) =>
          blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
        )
        const results = adapted.flatMap((message) => (message.role === 'tool' ? [message.toolUseId] : []))

        expect(new Set(calls).size).toBe(calls.length)
        expect(results).toEqual(calls)
        for (const id of calls) expect(id).toMatch(target.toolIds.pattern)
      }),
      { numRuns: 120 },
    )
  })

  it('sends nobody the private data of another', () => {
    fc.assert(
      fc.property(anyHistory, rules, (messages, target) => {
        for (const { blocks } of adaptTranscript(messages, target).messages) {
          for (const block of blocks) {
            if ('state' in block && block.state !== undefined) expect(target.stateFormats).toContain(block.state.format)
            if (block.type === 'thinking' && block.seal) expect(target.sealFormats).toContain(block.seal.format)
          }
        }
      }),
      { numRuns: 120 },
    )
  })

  it('tells a place of the history for every change, and throws for the first that takes something when it is strict', () => {
    fc.assert(
      fc.property(anyHistory, rules, (messages, target) => {
        const { changes, messages: adapted } = adaptTranscript(messages, target)
        const strict = () => adaptTranscript(messages, target, { strict: true })

        for (const { index, blockIndex } of changes) {
          expect(messages[index]).toBeDefined()
          if (blockIndex !== undefined) expect(messages[index]?.blocks[blockIndex]).toBeDefined()
        }
        const isHarmless = changes.every(({ reason }) => reason === 'empty' || reason === 'unsealed_thinking')
        if (isHarmless) expect(strict()).toEqual({ messages: adapted, changes })
        else expect(strict).toThrow(InferenceError)
        if (changes.length === 0) expect(adapted.every((message, index) => message === messages[index])).toBe(true)
      }),
      { numRuns: 120 },
    )
  })

  it('changes nothing of what it was given', () => {
    fc.assert(
      fc.property(anyHistory, rules, (messages, target) => {
        const before = JSON.stringify(messages)

        adaptTranscript(messages, target)

        expect(JSON.stringify(messages)).toBe(before)
      }),
    )
  })
})

describe('transcriptAdapter', () => {
  it('gives for a history that grows what adaptTranscript gives for each of its states', () => {
    fc.assert(
      fc.property(anyHistory, rules, (messages, target) => {
        const adapt = transcriptAdapter(target)

        for (let length = 0; length <= messages.length; length += 1) {
          const part = messages.slice(0, length)
          expect(adapt(part)).toEqual(adaptTranscript(part, target))
        }
      }),
    )
  })
})

function expectKept(before: Kept, after: Kept, target: TranscriptRules): void {
  // instructions in the middle become a user's words where the target wants it so
  const texts = target.systemMessages === 'user' ? [] : before.texts
  expect(isWithin(texts, after.texts)).toBe(true)
  expect(
    isWithin(
      before.instructions,
      target.systemMessages === 'user' ? [...after.instructions, ...after.texts] : after.instructions,
    ),
  ).toBe(true)
  expect(after.calls.map(({ input }) => input)).toEqual(before.calls.map(({ input }) => input))
  for (const [position, call] of before.calls.entries()) {
    expect(isWithin(call.result, after.calls[position]?.result ?? [])).toBe(true)
  }
}

/** Whether calls of one tool are still calls of one tool. */
function expectSameNames(before: Kept, after: Kept): void {
  const names = new Map(before.calls.map(({ name }, position) => [name, after.calls[position]?.name]))
  for (const [position, { name }] of before.calls.entries()) expect(after.calls[position]?.name).toBe(names.get(name))
}
