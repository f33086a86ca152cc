import { describe, expect, it } from 'vitest'
import { foldText, foldWhole } from '../../support/chat-fixtures.ts'

const call = (name: string) => ({ id: '', type: 'function', function: { name, arguments: '{}' } })

const wholeIds = (id: string | undefined): string[] =>
  foldWhole(
    JSON.stringify({ id, choices: [{ message: { tool_calls: [call('a'), call('b')] }, finish_reason: 'stop' }] }),
  ).response.toolCalls.map(({ toolUseId }) => toolUseId)

function streamIds(id: string): string[] {
  const delta = (name: string) =>
    `data: ${JSON.stringify({ id, choices: [{ delta: { tool_calls: [call(name)] } }] })}\n\n`
  return foldText(`${delta('a')}${delta('b')}data: [DONE]\n\n`).response.toolCalls.map(({ toolUseId }) => toolUseId)
}

describe('a call to which the server gives no id', () => {
  it('gets one of its own', () => {
    const [first, second] = wholeIds('resp_1')

    expect(first).toMatch(/^call_[\da-f]{24}$/)
    expect(second).not.toBe(first)
  })

  it('gets the same one from a stream of the same response', () => {
    expect(streamIds('resp_1')).toEqual(wholeIds('resp_1'))
  })

  it('gets another in the next response', () => {
    expect(wholeIds('resp_2')).not.toEqual(wholeIds('resp_1'))
  })

  it('gets another each time where responses have no id either', () => {
    expect(wholeIds(undefined)).not.toEqual(wholeIds(undefined))
  })
})
