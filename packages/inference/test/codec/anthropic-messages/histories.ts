import type { Block, Message } from '@looprig/core'
import fc from 'fast-check'

const text = fc.constantFrom('', ' \n', 'Hi', 'a\ud83d', 'Grüße 👋🏽', 'trail  ')

const thinking: fc.Arbitrary<Block> = fc.oneof(
  fc
    .record({
      text,
      signature: fc.constantFrom('S1', 'S2'),
      format: fc.constantFrom('anthropic', 'bedrock-converse', 'gemini'),
    })
    .map(
      (made): Block => ({
        type: 'thinking',
        text: made.text,
        seal: { format: made.format, signature: made.signature },
      }),
    ),
  fc
    .constantFrom('anthropic-redacted-thinking', 'bedrock-converse-redacted-thinking', 'openai-responses')
    .map((format): Block => ({ type: 'thinking', text: '', state: { format, data: 'RU5D' } })),
  text.map((said): Block => ({ type: 'thinking', text: said })),
)

const prose: fc.Arbitrary<Block> = fc.oneof(
  text.map((said): Block => ({ type: 'text', text: said })),
  text.map((said): Block => ({ type: 'refusal', text: said })),
  thinking,
)

const shown: fc.Arbitrary<Block> = fc.oneof(
  text.map((said): Block => ({ type: 'text', text: said })),
  fc.constant<Block>({ type: 'image', mediaType: 'image/png', data: 'iVBORw0=' }),
  fc.constantFrom('notes.pdf', 'Notes.PDF', undefined).map(
    (name): Block => ({
      type: 'document',
      mediaType: 'application/pdf',
      data: 'JVBERg==',
      ...(name === undefined ? {} : { name }),
    }),
  ),
)

/** A step: what the model said, the calls that it made among it, and how each came out, told in any order. */
const step = fc.record({
  before: fc.array(prose, { maxLength: 3 }),
  calls: fc.array(fc.record({ isError: fc.boolean(), blocks: fc.array(shown, { maxLength: 2 }) }), { maxLength: 3 }),
  after: fc.array(prose, { maxLength: 2 }),
  seed: fc.nat(),
})

const turn = fc.record({
  user: fc.array(shown, { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { maxLength: 3 }),
})

/** Conversations as sessions hold them: every call has its result in the step that made it. */
export const histories: fc.Arbitrary<readonly Message[]> = fc.array(turn, { maxLength: 4 }).map((turns) => {
  let calls = 0
  return turns.flatMap(({ user, steps }): Message[] => [
    { role: 'user', blocks: user },
    ...steps.flatMap(({ before, calls: made, after, seed }): Message[] => {
      const ids = made.map(() => `functions.read:${calls++}`)
      const uses = ids.map((id): Block => ({ type: 'tool_use', id, name: 'fs.read', input: { 'k\ud83d': 'v' } }))
      const results = made.map(
        ({ isError, blocks }, index): Message => ({ role: 'tool', toolUseId: ids[index] ?? '', isError, blocks }),
      )
      return [
        { role: 'assistant', blocks: [...before, ...uses, ...after] },
        ...results.toSorted(() => (seed % 2 === 0 ? 0 : -1)),
      ]
    }),
  ])
})
