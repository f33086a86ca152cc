import { type StreamEvent, textOf, userMessage } from '@looprig/core'
import { InferenceError, type InferenceRequest } from '@looprig/inference'
import { describe, expect, it } from 'vitest'
import { offlineGuide, offlineGuideModel } from '../../src/guide/guide.ts'
import { expectSound } from './citations.ts'
import { openSession } from './session.ts'
import { temporaryWorkspace } from './temporary-workspace.ts'

const tools = ['Glob', 'Grep', 'ReadFile'].map((name) => ({ name, description: '', inputSchema: { type: 'object' } }))

function request(question: string, more: Partial<InferenceRequest> = {}): InferenceRequest {
  return { model: offlineGuideModel, messages: [userMessage(question)], tools, ...more }
}

async function eventsOf(of: InferenceRequest): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of offlineGuide().stream(of)) events.push(event)
  return events
}

describe('offlineGuide', () => {
  it('streams an answer line by line', async () => {
    const events = await eventsOf(request('hello'))

    const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))
    expect(deltas).toHaveLength(2)
    expect(deltas[0]).toMatch(/^I am the offline guide: not a language model.*\n$/)
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop', model: 'offline-guide' })
  })

  it('makes the same calls with the same ids for the same request', async () => {
    const first = await eventsOf(request('where is fooBar defined?'))

    const second = await eventsOf(request('where is fooBar defined?'))

    expect(second).toEqual(first)
    expect(first[0]).toEqual({
      type: 'block_start',
      blockIndex: 0,
      block: { type: 'tool_use', id: 'guide-1-1-1', name: 'Grep' },
    })
    expect(first.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_use' })
  })

  it('ends with aborted when its signal is aborted', async () => {
    const signal = AbortSignal.abort()

    const invoked = offlineGuide().invoke(request('hello'), { signal })

    await expect(invoked).rejects.toSatisfy((error) => error instanceof InferenceError && error.code === 'aborted')
  })

  it('calls no tool when it must not', async () => {
    const response = await offlineGuide().invoke(request('where is fooBar defined?', { toolChoice: 'none' }))

    expect(response.toolCalls).toEqual([])
    expect(textOf(response.message.blocks)).toMatch(/There is no Grep tool here, so I cannot search file contents\./)
  })

  it('answers an empty transcript with what it can do', async () => {
    const response = await offlineGuide().invoke(request('', { messages: [] }))

    expect(textOf(response.message.blocks)).toMatch(/^I am the offline guide/)
  })

  it('says what it cannot do without a tool, and uses the others', async () => {
    const root = await temporaryWorkspace({ 'package.json': '{\n  "name": "thing"\n}\n' })
    const session = await openSession(root, { tools: ['Glob'] })

    const exchange = await session.ask('what does this project do?')

    expectSound(exchange)
    expect(exchange.text).toMatch(/There is no ReadFile tool here, so I cannot read files\./)
  })

  it('stops at its limit of calls and says so', async () => {
    const root = await temporaryWorkspace({ 'a.ts': 'const fooBar = 1\n' })
    const session = await openSession(root, { guide: offlineGuide({ maxCalls: 1 }) })

    const { steps, text } = await session.ask('where is fooBar defined?')

    expect(steps.flat()).toHaveLength(1)
    expect(text).toMatch(/a\.ts:1 {2}const fooBar = 1/)
    expect(text).toMatch(/I stopped at my limit of searches/)
  })

  it('stops at its limit of steps', async () => {
    const root = await temporaryWorkspace({ 'a.ts': 'const fooBar = 1\n' })
    const session = await openSession(root, { guide: offlineGuide({ maxSteps: 2 }) })

    const { steps } = await session.ask('where is fooBar defined?')

    expect(steps).toHaveLength(1)
  })

  it('tells a failed call by its first line', async () => {
    const root = await temporaryWorkspace({ 'a.ts': 'const fooBar = 1\n' })
    const session = await openSession(root)

    const { text } = await session.ask('where is fooBar defined in nowhere/?')

    expect(text).toMatch(/^I found nothing named `fooBar` in `nowhere`\.\n\nGrep failed: .*nowhere/)
  })
})
