import type { JsonObject, Message } from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import { decodeRecording } from '@looprig/inference/testing'
import { codecOf, type Dialect } from '../wire-body.ts'

/** An answer with everything private that a provider gives and wants back, written by hand. */
interface OwnAnswer {
  readonly name: string
  readonly dialects: readonly Dialect[]
  readonly response: JsonObject
}

const chatCall = { id: 'call_000000001', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
const chatCalls = { content: 'Let me look.', tool_calls: [chatCall] }
const chat = (message: JsonObject): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'tool_calls' }],
})

/** One for every private form of every protocol. */
export const ownAnswers: readonly OwnAnswer[] = [
  {
    name: 'signed and redacted thinking, and a search of the server',
    dialects: [{ api: 'anthropic-messages' }],
    response: {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'c2VjcmV0' },
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'Oslo' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [
            {
              type: 'web_search_result',
              title: 'Oslo',
              url: 'https://example.com',
              encrypted_content: 'eA==',
              page_age: null,
            },
          ],
        },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } },
        { type: 'tool_use', id: 'toolu_2', name: 'time', input: {} },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  {
    name: 'encrypted reasoning, a search of the server, a phase, and calls of both kinds',
    dialects: [{ api: 'openai-responses' }],
    response: {
      object: 'response',
      status: 'completed',
      output: [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'Hm.' }],
          encrypted_content: 'c2VjcmV0',
        },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'Oslo' } },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          phase: 'commentary',
          content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }],
        },
        { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'c2VjcmV0' },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'custom_tool_call', id: 'ct_1', call_id: 'call_2', name: 'sql', input: 'SELECT 1' },
      ],
    },
  },
  {
    name: 'signed thoughts, code that the server ran, and signed calls',
    dialects: [{ api: 'gemini' }],
    response: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Hm.', thought: true, thoughtSignature: 'c2ln' },
              { executableCode: { language: 'PYTHON', code: 'print(1)' } },
              { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
              { text: 'Let me look.', thoughtSignature: 'c2ln' },
              { functionCall: { id: 'fc-1', name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'c2ln' },
              { functionCall: { name: 'time', args: {} } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    },
  },
  {
    name: 'signed and redacted reasoning',
    dialects: [{ api: 'bedrock-converse' }],
    response: {
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
            { reasoningContent: { redactedContent: 'c2VjcmV0' } },
            { text: 'Let me look.' },
            { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Oslo' } } },
            { toolUse: { toolUseId: 'tooluse_2', name: 'time', input: {} } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 1, outputTokens: 1 },
    },
  },
  {
    name: 'reasoning as content',
    dialects: [
      { api: 'openai-chat', profile: 'deepseek' },
      { api: 'openai-chat', profile: 'moonshot' },
    ],
    response: chat({ ...chatCalls, reasoning_content: 'Hm.' }),
  },
  {
    name: 'reasoning beside the content',
    dialects: [
      { api: 'openai-chat', profile: 'groq' },
      { api: 'openai-chat', profile: 'ollama' },
      { api: 'openai-chat', profile: 'vllm' },
    ],
    response: chat({ ...chatCalls, reasoning: 'Hm.' }),
  },
  {
    name: 'reasoning in details',
    dialects: [{ api: 'openai-chat', profile: 'openrouter' }],
    response: chat({
      ...chatCalls,
      reasoning: 'Hm.',
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
        { type: 'reasoning.encrypted', data: 'c2VjcmV0', id: 'rs_1', format: 'openai-responses-v1', index: 1 },
      ],
    }),
  },
  {
    name: 'thinking in the content',
    dialects: [{ api: 'openai-chat', profile: 'mistral' }],
    response: chat({
      tool_calls: [chatCall],
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
        { type: 'text', text: 'Let me look.' },
      ],
    }),
  },
  {
    name: 'a signed call',
    dialects: [{ api: 'openai-chat', profile: 'gemini' }],
    response: chat({
      tool_calls: [{ ...chatCall, extra_content: { google: { thought_signature: 'c2ln' } } }],
    }),
  },
]

/** The step after such an answer: it goes back with a result for each of its calls. */
export async function stepAfter({ response }: OwnAnswer, dialect: Dialect): Promise<InferenceRequest> {
  const bytes = new TextEncoder().encode(JSON.stringify(response))
  const decoded = await decodeRecording(codecOf(dialect), { bytes, form: 'whole' })
  if (decoded.error !== undefined) throw decoded.error
  const { blocks } = decoded.response.message
  const results = blocks.flatMap((block): Message[] =>
    block.type === 'tool_use'
      ? [{ role: 'tool', toolUseId: block.id, isError: false, blocks: [{ type: 'text', text: 'Done.' }] }]
      : [],
  )
  return {
    // the model claims to think, so what is private to it goes back
    model: { provider: 'own', name: 'model-1', capabilities: { tools: true, thinking: true } },
    messages: [{ role: 'user', blocks: [{ type: 'text', text: 'Hello.' }] }, { role: 'assistant', blocks }, ...results],
    tools: [{ name: 'weather', description: 'Tells the weather.', inputSchema: { type: 'object', properties: {} } }],
  }
}
