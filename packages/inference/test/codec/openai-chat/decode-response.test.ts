import { describe, expect, it } from 'vitest'
import { fixtureNames, fixtureText, foldText, foldWhole } from '../../support/chat-fixtures.ts'

const answer = (message: object, finish: string | null = 'stop'): string =>
  JSON.stringify({ model: 'lark-2', choices: [{ index: 0, message, finish_reason: finish }] })

describe('decodeChatResponse', () => {
  it.each(fixtureNames('.json'))('gives for %s what its stream gives', (name) => {
    const streamed = foldText(fixtureText(`${name}.sse`))

    const whole = foldWhole(fixtureText(`${name}.json`))

    expect(whole.error).toBeUndefined()
    expect(whole.response.message.blocks).toEqual(streamed.response.message.blocks)
    expect(whole.response).toEqual(streamed.response)
  })

  it('keeps calls apart that share an id and an index', () => {
    const call = { index: 0, id: 'x', type: 'function', function: { name: 'now', arguments: '{}' } }

    const { response } = foldWhole(answer({ content: null, tool_calls: [call, call] }, 'tool_calls'))

    expect(response.toolCalls.map((made) => made.toolUseId)).toEqual(['x', 'x-2'])
  })

  it('reports tool_use for calls whose finish reason is empty', () => {
    const call = { id: 'x', function: { name: 'now', arguments: '{}' } }

    const { response } = foldWhole(answer({ content: '', refusal: '', tool_calls: [call] }, ''))

    expect(response.finish).toEqual({ reason: 'tool_use', rawReason: '' })
    expect(response.message.blocks.map((block) => block.type)).toEqual(['tool_use'])
  })

  it('has no finish word for a text without a finish reason', () => {
    expect(foldWhole(answer({ content: 'Hi' }, null)).response.finish).toEqual({ reason: 'unknown' })
  })

  it('takes a message without any content as an empty one', () => {
    expect(foldWhole(answer({ role: 'assistant', content: '' })).response.message.blocks).toEqual([])
  })

  it.each([
    ['an error object', '{"error":{"code":"insufficient_quota","message":"no credit"}}', 'quota'],
    ['an error that is a text', '{"error":"model is loading"}', 'server_error'],
    ['an error with a status inside', '{"error":{"code":429,"message":"slow down"}}', 'rate_limited'],
    ['an object that says that it is one', '{"object":"error","message":"bad","code":400}', 'invalid_request'],
    ['no choice', '{"choices":[]}', 'malformed'],
    ['a choice without a message', '{"choices":[{"index":0}]}', 'malformed'],
    ['text that is not JSON', 'upstream connect error', 'malformed'],
    ['nothing', '', 'malformed'],
    ['a list', '[]', 'malformed'],
  ])('fails on %s', (_what, body, code) => {
    expect(foldWhole(body).error).toBe(code)
  })
})
