import { describe, expect, it } from 'vitest'
import { decodeStream, decodeWhole, fixture, fixtureNames } from './decoded.ts'

describe('decodeMessage', () => {
  it.each(fixtureNames)('gives for %s what its stream gives', async (name) => {
    const streamed = await decodeStream(fixture(`${name}.sse`))

    const whole = await decodeWhole(fixture(`${name}.json`))

    expect(whole.error).toBeUndefined()
    expect(whole.response).toEqual(streamed.response)
  })

  it('leaves out an empty text and takes empty content', async () => {
    const { response } = await decodeWhole('{"content":[{"type":"text","text":""}],"stop_reason":"end_turn"}')

    expect(response.message.blocks).toEqual([])
    expect(response.finish?.reason).toBe('stop')
  })

  it('keeps who called a tool from inside one of the server', async () => {
    const call = {
      type: 'tool_use',
      id: 't',
      name: 'roll',
      input: {},
      caller: { type: 'code_execution', tool_id: 's' },
    }

    const { response } = await decodeWhole(JSON.stringify({ content: [call], stop_reason: 'tool_use' }))

    const data = { caller: { type: 'code_execution', tool_id: 's' } }
    expect(response.message.blocks).toEqual([
      { type: 'tool_use', id: 't', name: 'roll', input: {}, state: { format: 'anthropic-opaque', data } },
    ])
  })

  it.each([
    ['an error object', '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'overloaded'],
    ['an error of a gateway', '{"error":{"message":"no upstream"}}', 'server_error'],
    ['no content', '{"type":"message"}', 'malformed'],
    ['text that is not JSON', 'upstream connect error', 'malformed'],
    ['nothing', '', 'malformed'],
  ])('fails on %s', async (_what, body, code) => {
    expect((await decodeWhole(body)).error?.code).toBe(code)
  })
})
