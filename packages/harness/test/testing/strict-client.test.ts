import type { Message } from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import { scriptedClient } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { strictClient } from '../../src/testing.ts'

const model = { provider: 'p', name: 'm' }
const text = { type: 'text', text: 'a' }
const user = { role: 'user', blocks: [text] }
const answer = { role: 'assistant', blocks: [text] }
const calls = (...ids: string[]) => ({
  role: 'assistant',
  blocks: ids.map((id) => ({ type: 'tool_use', id, name: 'x', input: {} })),
})
const result = (toolUseId: string, blocks: object[] = [text]) => ({ role: 'tool', toolUseId, isError: false, blocks })

async function send(messages: readonly object[], more: Partial<InferenceRequest> = {}) {
  const inner = scriptedClient([{ text: 'ok' }])
  const client = strictClient(inner)
  const request = { model, messages: messages as readonly Message[], ...more }
  const outcome = await client
    .stream(request)
    .result()
    .then(
      () => 'sent',
      (error: { code: string }) => error.code,
    )
  const whole = await strictClient(scriptedClient([{ text: 'ok' }]))
    .invoke(request)
    .then(
      () => 'sent',
      (error: { code: string }) => error.code,
    )
  expect(whole).toBe(outcome)
  expect(inner.requests).toHaveLength(outcome === 'sent' ? 1 : 0)
  return outcome
}

describe('strictClient', () => {
  it.each([
    ['one question', [user]],
    ['system text before it', [{ role: 'system', blocks: [text] }, user]],
    ['a conversation', [user, answer, user]],
    ['two questions in a row', [user, user]],
    ['results in call order', [user, calls('a', 'b'), result('a'), result('b')]],
    ['the same id in two answers', [user, calls('a'), result('a'), calls('a'), result('a')]],
    ['thinking beside text', [user, { role: 'assistant', blocks: [{ type: 'thinking', text: 't' }, text] }, user]],
    ['an empty refusal', [user, { role: 'assistant', blocks: [{ type: 'refusal', text: '' }] }, user]],
    ['an image', [{ role: 'user', blocks: [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }] }]],
  ])('sends %s', async (_, messages) => {
    expect(await send(messages)).toBe('sent')
  })

  it.each([
    ['nothing', []],
    ['an answer first', [answer, user]],
    ['an answer last', [user, answer]],
    ['system text alone', [{ role: 'system', blocks: [text] }]],
    ['system text in the middle', [user, { role: 'system', blocks: [text] }, user]],
    ['a message without content', [{ role: 'user', blocks: [] }]],
    ['an empty text', [{ role: 'user', blocks: [text, { type: 'text', text: '' }] }]],
    ['an answer without content', [user, { role: 'assistant', blocks: [] }, user]],
    ['an answer of thinking only', [user, { role: 'assistant', blocks: [{ type: 'thinking', text: 't' }] }, user]],
    ['two answers in a row', [user, answer, answer, user]],
    ['a call without a result', [user, calls('a'), user]],
    ['a call without a result at the end', [user, calls('a', 'b'), result('a')]],
    ['a result without a call', [user, result('a')]],
    ['a result too many', [user, calls('a'), result('a'), result('a')]],
    ['a result after another message', [user, calls('a'), user, result('a')]],
    ['results in another order', [user, calls('a', 'b'), result('b'), result('a')]],
    ['two calls with one id', [user, calls('a', 'a'), result('a'), result('a')]],
    ['a call without an id', [user, calls(''), result('')]],
    ['an empty result', [user, calls('a'), result('a', [])]],
    ['a call inside a result', [user, calls('a'), result('a', [{ type: 'tool_use', id: 'b', name: 'x', input: {} }])]],
    ['a call of the user', [{ role: 'user', blocks: [{ type: 'tool_use', id: 'b', name: 'x', input: {} }] }]],
  ])('refuses %s', async (_, messages) => {
    expect(await send(messages)).toBe('invalid_request')
  })

  it('refuses two tools with one name', async () => {
    const tool = { name: 'x', description: 'x', inputSchema: {} }

    expect(await send([user], { tools: [tool, { ...tool, name: 'y' }] })).toBe('sent')
    expect(await send([user], { tools: [tool, tool] })).toBe('invalid_request')
  })

  it.each([
    ['refuses', { type: 'thinking', text: 't' }, 'invalid_request'],
    ['sends sealed', { type: 'thinking', text: 't', seal: { format: 'f', signature: 's' } }, 'sent'],
  ])('%s thinking when it is told to refuse unsigned thinking', async (_, thinking, expected) => {
    const client = strictClient(scriptedClient([{ text: 'ok' }]), { refuseUnsignedThinking: true })
    const messages = [user, { role: 'assistant', blocks: [thinking, text] }, user] as readonly Message[]

    const outcome = await client.invoke({ model, messages }).then(
      () => 'sent',
      (error: { code: string }) => error.code,
    )

    expect(outcome).toBe(expected)
  })
})
