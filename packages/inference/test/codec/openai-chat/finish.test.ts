import { describe, expect, it } from 'vitest'
import { foldText } from '../../support/chat-fixtures.ts'

const finish = (reason: string) =>
  foldText(`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"${reason}"}]}\n\ndata: [DONE]\n\n`)

describe('the word for why a response ended', () => {
  it.each([
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['end_turn', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['max_tokens', 'length'],
    ['tool_calls', 'tool_use'],
    ['function_call', 'tool_use'],
    ['content_filter', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['sensitive', 'content_filter'],
    ['whatever', 'unknown'],
    ['constructor', 'unknown'],
  ])('%s is %s, and is kept', (rawReason, reason) => {
    expect(finish(rawReason).response.finish).toEqual({ reason, rawReason })
  })

  it.each([
    ['insufficient_system_resource', 'overloaded'],
    ['error', 'server_error'],
    ['network_error', 'server_error'],
    ['abort', 'server_error'],
  ])('%s is no end but a failure: %s', (rawReason, code) => {
    expect(finish(rawReason)).toMatchObject({ error: code, response: { finish: undefined } })
  })
})

describe('a call of the old kind', () => {
  it('is a call', () => {
    const { response } = foldText(
      'data: {"choices":[{"delta":{"function_call":{"name":"now","arguments":"{"}}}]}\n\n' +
        'data: {"choices":[{"delta":{"function_call":{"arguments":"}"}},"finish_reason":"function_call"}]}\n\n',
    )

    expect(response.toolCalls).toMatchObject([{ name: 'now', argsJson: '{}' }])
    expect(response.finish?.reason).toBe('tool_use')
  })
})
