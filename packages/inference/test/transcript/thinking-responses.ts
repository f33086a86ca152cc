import type { WireApi } from '../../src/codec/wire-codec.ts'

/** A whole response of each provider that says something and calls a tool, and thinks where there is private data. */
export const thinkingResponses: { readonly [Api in WireApi]: object } = {
  'openai-chat': {
    model: 'm',
    choices: [
      {
        message: {
          role: 'assistant',
          content: 'Reading.',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'ReadFile', arguments: '{"path":"a"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
  },
  'anthropic-messages': {
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'a plan', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'b3BhcXVl' },
      { type: 'text', text: 'Reading.' },
      { type: 'tool_use', id: 'toolu_1', name: 'ReadFile', input: { path: 'a' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 1, output_tokens: 2 },
  },
  'openai-responses': {
    status: 'completed',
    model: 'm',
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a plan' }], encrypted_content: 'ENC' },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'Reading.' }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'ReadFile', arguments: '{"path":"a"}' },
    ],
  },
  gemini: {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'a plan', thought: true, thoughtSignature: 'c2ln' },
            { text: 'Reading.' },
            { functionCall: { name: 'ReadFile', args: { path: 'a' } }, thoughtSignature: 'c2ln' },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    modelVersion: 'm',
  },
  'bedrock-converse': {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'a plan', signature: 'c2ln' } } },
          { reasoningContent: { redactedContent: 'b3BhcXVl' } },
          { text: 'Reading.' },
          { toolUse: { toolUseId: 'tooluse_1', name: 'ReadFile', input: { path: 'a' } } },
        ],
      },
    },
    stopReason: 'tool_use',
    usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  },
}
