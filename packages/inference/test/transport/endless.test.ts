import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { InferenceClient } from '@looprig/inference'
import { anthropicClient } from '@looprig/inference/anthropic'
import { geminiClient } from '@looprig/inference/gemini'
import { openAIChatClient } from '@looprig/inference/openai'
import { openAIResponsesClient } from '@looprig/inference/openai-responses'
import { describe, expect, it } from 'vitest'
import { type Answer, startProvider } from '../support/provider-server.ts'
import { ask, failureOf } from '../support/requests.ts'

/** What a client may hold at most while it reads: a response at its cap a few times over. */
const maxHeldBytes = 64 * 1024 * 1024

const kilobyte = 'x'.repeat(1024)
const limits = { maxStreamBytes: 12 * 1024 * 1024, maxResponseBytes: 8 * 1024 * 1024 }
const chat = (baseUrl: string) => openAIChatClient({ baseUrl, ...limits })
const anthropic = (baseUrl: string) => anthropicClient({ baseUrl, apiKey: 'k', ...limits })
const responses = (baseUrl: string) => openAIResponsesClient({ baseUrl, apiKey: 'k', ...limits })
const gemini = (baseUrl: string) => geminiClient({ baseUrl, apiKey: 'k', ...limits })

const data = (frame: object): string => `data: ${JSON.stringify(frame)}\n\n`
const delta = (members: object): string => data({ choices: [{ index: 0, delta: members }] })
const piece = (members: object): string => data({ type: 'content_block_delta', index: 0, delta: members })
const begin = data({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hm' } })

type Endless = readonly [
  what: string,
  open: (baseUrl: string) => InferenceClient,
  next: (count: number) => string,
  code?: 'malformed',
]

const endless: readonly Endless[] = [
  ['texts', chat, () => delta({ content: kilobyte })],
  ['thinking', chat, () => delta({ reasoning_content: kilobyte })],
  [
    'arguments',
    chat,
    () => delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: kilobyte } }] }),
  ],
  ['calls', chat, (count) => delta({ tool_calls: [{ index: count, id: `c${count}`, function: { name: 'f' } }] })],
  ['calls with one index', chat, (count) => delta({ tool_calls: [{ index: 0, id: `c${count}`, function: {} }] })],
  ['blocks', chat, (count) => delta(count % 2 === 0 ? { content: 'a' } : { reasoning: 'b' })],
  ['reasoning details', chat, () => delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] })],
  ['annotations', chat, () => delta({ annotations: [{ type: 'url_citation', url: kilobyte }] })],
  ['frames with nothing in them', chat, () => data({ choices: [] }).repeat(100)],
  ['comments', chat, () => `: ${kilobyte}\n\n`],
  ['empty lines', chat, () => '\n'.repeat(1024)],
  ['a line without an end', chat, () => kilobyte, 'malformed'],
  ['lines of one event', chat, () => `data: ${kilobyte}\n`, 'malformed'],
  ['pings', anthropic, () => data({ type: 'ping' }).repeat(100)],
  ['events of an unknown kind', anthropic, () => data({ type: 'news', text: kilobyte })],
  [
    'citations',
    anthropic,
    (count) => (count === 0 ? begin : piece({ type: 'citations_delta', citation: { at: count } })),
  ],
  [
    'signatures',
    anthropic,
    (count) => {
      const block = { type: 'thinking', thinking: 'Hm' }
      if (count === 0) return data({ type: 'content_block_start', index: 0, content_block: block })
      return piece({ type: 'signature_delta', signature: kilobyte })
    },
  ],
  [
    'blocks of the server',
    anthropic,
    (count) => {
      const block = { type: 'server_tool_use', id: `s${count}`, name: 'search', input: { kilobyte } }
      const start = data({ type: 'content_block_start', index: count, content_block: block })
      return `${start}${data({ type: 'content_block_stop', index: count })}`
    },
  ],
  [
    'items',
    responses,
    (count) => {
      const item = { type: 'news', id: `n${count}`, text: kilobyte }
      const event = { output_index: count, item }
      return `${data({ type: 'response.output_item.added', ...event })}${data({ type: 'response.output_item.done', ...event })}`
    },
  ],
  [
    'parts of an item',
    responses,
    (count) => data({ type: 'response.output_text.delta', output_index: 0, content_index: count, delta: 'a' }),
    'malformed',
  ],
  ['parts', gemini, () => data({ candidates: [{ content: { parts: [{ news: { kilobyte } }] } }] })],
  [
    'partial arguments',
    gemini,
    (count) => {
      const partialArgs = [{ jsonPath: `$.a${count}`, stringValue: kilobyte }]
      const functionCall = { ...(count === 0 ? { name: 'f' } : {}), partialArgs, willContinue: true }
      return data({ candidates: [{ content: { parts: [{ functionCall }] } }] })
    },
  ],
]

describe('a provider that streams forever', () => {
  it.each(endless.map(([what, open, next, code = 'response_too_large']) => ({ what, open, next, code })))(
    'with $what is left, and never held in memory',
    async ({ open, next, code }) => {
      const held = heldBytes()
      const server = await startProvider(forever('text/event-stream', next, held.look))
      const stream = open(server.baseUrl).stream(ask('Hi', { model: { provider: 'p', name: 'm' } }))

      const error = await failureOf(stream.result())
      await server.requests[0]?.closed
      await server.close()

      expect(error.code).toBe(code)
      expect(held.most()).toBeLessThan(maxHeldBytes)
    },
  )

  it('instead of a whole response is left as well', async () => {
    const held = heldBytes()
    const server = await startProvider(forever('application/json', () => kilobyte, held.look))

    const error = await failureOf(chat(server.baseUrl).invoke(ask()))
    await server.requests[0]?.closed
    await server.close()

    expect(error.code).toBe('response_too_large')
    expect(held.most()).toBeLessThan(maxHeldBytes)
  })

  it('after its end marker is not listened to, and the answer counts', async () => {
    const end = `${delta({ content: 'Hi' })}${data({ choices: [{ delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`
    const server = await startProvider(
      forever('text/event-stream', (count) => (count === 0 ? end : `: ${kilobyte}\n\n`)),
    )

    const { message } = await chat(server.baseUrl).stream(ask()).result()
    await server.requests[0]?.closed
    await server.close()

    expect(message.blocks).toEqual([{ type: 'text', text: 'Hi' }])
  })

  it('to a reader who is slow is not read ahead of', async () => {
    let sent = 0
    const server = await startProvider(
      forever('text/event-stream', () => {
        sent += 1
        return delta({ content: kilobyte })
      }),
    )
    const iterator = chat(server.baseUrl).stream(ask())[Symbol.asyncIterator]()

    for (let read = 0; read < 3; read += 1) await iterator.next()
    await new Promise((resolve) => setTimeout(resolve, 300))
    const ahead = sent
    await iterator.return?.()
    await server.close()

    expect(ahead).toBeLessThan(16 * 1024)
  })
})

/** Answers without an end, as fast as it is read. */
function forever(type: string, next: (count: number) => string, onSent: (count: number) => void = () => {}): Answer {
  return (response) => {
    let count = 0
    response.writeHead(200, { 'content-type': type })
    const send = (): void => {
      while (!response.destroyed) {
        onSent(count)
        if (!response.write(next(count++))) break
      }
    }
    response.on('drain', send)
    send()
  }
}

/** Looks now and then at how much more memory is held than in the beginning, what nobody holds any more left out. */
function heldBytes(): { readonly look: (count: number) => void; readonly most: () => number } {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const now = (): number => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = now()
  let most = 0
  return {
    look: (count) => {
      const isPowerOfTwo = (count & (count - 1)) === 0
      if (count >= 256 && isPowerOfTwo) most = Math.max(most, now() - before)
    },
    most: () => most,
  }
}
