import { describe, expect, it } from 'vitest'
import { foldText, foldWhole, type Outcome } from '../../support/chat-fixtures.ts'

const text = (part: string) => ({ type: 'reasoning.text', text: part, format: 'anthropic-claude-v1', index: 0 })
const signature = { type: 'reasoning.text', signature: 'Sig+/=', index: 0, format: 'anthropic-claude-v1' }
const encrypted = { type: 'reasoning.encrypted', data: 'gAAA', id: 'rs_1', format: 'openai-responses-v1', index: 1 }

function stream(...deltas: readonly object[]): Outcome {
  const frames = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`)
  return foldText(
    `${frames.join('')}data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
  )
}

const whole = (message: object): Outcome =>
  foldWhole(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }))

const thinking = (words: string, ...data: readonly object[]) => ({
  type: 'thinking',
  text: words,
  state: { format: 'openai-chat-reasoning-details', data },
})

describe('reasoning_details', () => {
  it('of a whole response are kept as they came', () => {
    const entry = { ...text('Why?'), signature: 'Sig', unknown: { deep: [1] } }

    const { response } = whole({ reasoning: 'Why?', reasoning_details: [entry, encrypted], content: 'So.' })

    expect(response.message.blocks).toEqual([thinking('Why?', entry, encrypted), { type: 'text', text: 'So.' }])
  })

  it('of a stream are put together until they are signed, and equal those of the whole response', () => {
    const { response } = stream(
      { reasoning: 'Wh', reasoning_details: [text('Wh')] },
      { reasoning: 'y?', reasoning_details: [text('y?')] },
      { content: '', reasoning: null, reasoning_details: [signature] },
      { content: 'So.' },
      { reasoning_details: [encrypted] },
    )

    const same = whole({
      reasoning: 'Why?',
      reasoning_details: [{ ...text('Why?'), signature: 'Sig+/=' }, encrypted],
      content: 'So.',
    })
    expect(response).toEqual(same.response)
  })

  it('of another index or type are entries of their own', () => {
    const summary = { type: 'reasoning.summary', summary: 'Sum.', index: 0 }

    const { response } = stream({ reasoning_details: [text('a'), { ...text('b'), index: 1 }, summary] })

    expect(response.message.blocks).toEqual([thinking('abSum.', text('a'), { ...text('b'), index: 1 }, summary)])
  })

  it('that nobody can read stand before what was said, as in a whole response', () => {
    const { response } = stream({ content: 'So.' }, { reasoning_details: [encrypted] })

    expect(response.message.blocks).toEqual([thinking('', encrypted), { type: 'text', text: 'So.' }])
    expect(response).toEqual(whole({ content: 'So.', reasoning_details: [encrypted] }).response)
  })

  it('without end are refused', () => {
    expect(stream({ reasoning_details: Array(10_001).fill(encrypted) }).error).toBe('response_too_large')
  })

  it('nested deeper than anyone could write them out are left out', () => {
    const deep = `{"data":${'['.repeat(5000)}${']'.repeat(5000)}}`

    const { response, error } = foldText(
      `data: {"choices":[{"delta":{"content":"a","reasoning_details":[${deep}]}}]}\n\ndata: [DONE]\n\n`,
    )

    expect(error).toBeUndefined()
    expect(response.message.blocks).toEqual([{ type: 'text', text: 'a' }])
  })
})

describe('what a server attaches to a call', () => {
  it('is kept with the call', () => {
    const extra_content = { google: { thought_signature: 'Sig' } }
    const call = { id: 'a', function: { name: 'now', arguments: '{}' }, extra_content }

    const { response } = stream({ tool_calls: [{ index: 0, ...call }] })

    expect(response.message.blocks).toEqual([
      {
        type: 'tool_use',
        id: 'a',
        name: 'now',
        input: {},
        state: { format: 'openai-chat-extra-content', data: extra_content },
      },
    ])
    expect(response).toEqual({ ...whole({ tool_calls: [call] }).response })
  })
})
