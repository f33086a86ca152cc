import type { InferenceClient, Model } from '@looprig/inference'
import { anthropicClient } from '@looprig/inference/anthropic'
import { openAIResponsesClient } from '@looprig/inference/openai-responses'
import { expect, it } from 'vitest'
import { mockKey, startMock } from '../../src/mock/mock-server.ts'
import { openSession, weatherTool } from '../../src/mock/open-session.ts'

const effortful = {
  limits: { maxOutputTokens: 4000 },
  capabilities: { tools: true, thinking: true, thinkingDialect: 'budget' },
  sampling: { effort: 'low' },
} as const

/** Runs a tool loop whose model thinks before it calls. */
async function think(model: Model, connect: (url: string) => InferenceClient, thoughts: object) {
  const mock = await startMock({ strict: true })
  mock
    .on({ hasToolResult: false }, { ...thoughts, toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] })
    .on({ hasToolResult: true }, { content: 'It rains.' })
  const { tool } = weatherTool()
  const { session } = await openSession(connect(mock.url), model, { tools: [tool] })
  const { status, text, error } = await session.submit('How is Oslo?').result()
  return { session, outcome: { status, text, error } }
}

const rains = { status: 'done', text: 'It rains.', error: undefined }

it.each([
  { what: 'signed thinking', thoughts: { reasoning: 'Hm.', reasoningSignature: 'c2ln' } },
  { what: 'redacted thinking', thoughts: { redactedThinking: ['c2VjcmV0'] } },
  { what: 'both', thoughts: { reasoning: 'Hm.', reasoningSignature: 'c2ln', redactedThinking: ['c2VjcmV0'] } },
])('Anthropic takes $what back: the mock refuses a tool loop without it', async ({ thoughts }) => {
  const model: Model = { provider: 'anthropic', name: 'claude-sonnet-4-5', ...effortful }

  const { outcome } = await think(model, (url) => anthropicClient({ baseUrl: `${url}/v1`, apiKey: mockKey }), thoughts)

  expect(outcome).toEqual(rains)
})

it('OpenAI Responses is asked for encrypted reasoning, which is kept to go back', async () => {
  const model: Model = { provider: 'openai', name: 'gpt-5', ...effortful }

  const { outcome, session } = await think(
    model,
    (url) => openAIResponsesClient({ baseUrl: `${url}/v1`, apiKey: mockKey }),
    { reasoning: 'Hm.' },
  )

  expect(outcome).toEqual(rains)
  expect(session.history()[1]?.blocks[0]).toMatchObject({
    type: 'thinking',
    text: 'Hm.',
    state: { format: 'openai-responses', data: { encrypted_content: expect.any(String) } },
  })
})
