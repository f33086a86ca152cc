import { createChatCodec } from '@looprig/inference/openai'
import { decodeRecording, type FeedOptions } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'

const codec = createChatCodec()
const frame = (choice: object) => `data: ${JSON.stringify({ model: 'lark-2', choices: [choice] })}\n\n`
const frames = [
  frame({ delta: { content: 'Hel' } }),
  frame({ delta: { content: 'lo' } }),
  frame({ delta: {}, finish_reason: 'stop' }),
  'data: [DONE]\n\n',
]
const stream = (options?: FeedOptions, text = frames.join('')) =>
  decodeRecording(codec, { bytes: Buffer.from(text), form: 'stream' }, options)

describe('decodeRecording', () => {
  it('gives the events, the response and what is known of it', async () => {
    const { events, response, facts, error } = await stream()

    expect(events.map(({ type }) => type)).toEqual(['block_start', 'text_delta', 'text_delta', 'block_end', 'finish'])
    expect(response.message).toEqual({ role: 'assistant', blocks: [{ type: 'text', text: 'Hello' }], model: 'lark-2' })
    expect(facts).toMatchObject({ model: 'lark-2', reason: 'stop', rawReason: 'stop' })
    expect(error).toBeUndefined()
  })

  it.each([1, 2, 3, 7, 64])('gives the same in pieces of %d bytes', async (chunkBytes) => {
    expect(await stream({ chunkBytes })).toEqual(await stream())
  })

  it('ends a stream after some frames, with what came until then', async () => {
    const { events, response, facts, error } = await stream({ cutAfter: 1 })

    expect(events).toHaveLength(2)
    expect(response.finish).toBeUndefined()
    expect(facts.model).toBe('lark-2')
    expect(error?.code).toBe('truncated')
  })

  it('decodes a last frame that no blank line closed', async () => {
    expect((await stream({}, frames.join('').trimEnd())).error).toBeUndefined()
  })

  it('decodes the body of a failed response', async () => {
    const bytes = Buffer.from('{"error":{"message":"slow down"}}')

    const { events, error } = await decodeRecording(codec, { bytes, form: 'whole', status: 429 })

    expect(events).toEqual([])
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, provider: { message: 'slow down' } })
  })

  it('says which events are not valid, and throws what is no failure of a response', async () => {
    const broken = { ...codec, decodeWhole: () => [{ type: 'text_delta', blockIndex: 0, text: 'a' } as const] }
    const bug = {
      ...codec,
      decodeWhole: () => {
        throw new TypeError('bug')
      },
    }
    const recording = { bytes: Buffer.from('{}'), form: 'whole' } as const

    expect((await decodeRecording(broken, recording)).error?.code).toBe('malformed')
    await expect(decodeRecording(bug, recording)).rejects.toThrow(TypeError)
  })
})
