import type { Block } from '../content/block.ts'
import type { Message } from '../content/message.ts'

const state = { format: 'gemini', data: { part: [1, null, 'x'] } }

/** One block of each kind with every field that it may have. A kind that is missing here does not compile. */
export const wholeBlocks: { readonly [Type in Block['type']]: Required<Extract<Block, { type: Type }>> } = {
  text: { type: 'text', text: 'hello 👋', state },
  refusal: { type: 'refusal', text: '', state },
  thinking: { type: 'thinking', text: 'step', seal: { format: 'anthropic', signature: 'c2ln' }, state },
  tool_use: { type: 'tool_use', id: 'call_1', name: 'ReadFile', input: { path: 'a.txt', lines: [1, 2] }, state },
  tool_result: {
    type: 'tool_result',
    toolUseId: 'call_1',
    content: [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }],
    isError: true,
  },
  image: {
    type: 'image',
    mediaType: 'image/png',
    data: 'aGk=',
    url: 'https://example.org/a.png',
    name: 'a.png',
    text: 'a cat',
    state,
  },
  audio: {
    type: 'audio',
    mediaType: 'audio/wav',
    data: 'aGk=',
    url: 'https://example.org/a.wav',
    name: 'a.wav',
    text: 'hello',
    state,
  },
  document: {
    type: 'document',
    mediaType: 'application/pdf',
    data: 'aGk=',
    url: 'https://example.org/a.pdf',
    name: 'a.pdf',
    text: 'the contract',
    state,
  },
}

/** One message of each role with every field that it may have. A role that is missing here does not compile. */
export const wholeMessages: { readonly [Role in Message['role']]: Required<Extract<Message, { role: Role }>> } = {
  system: { role: 'system', blocks: [{ type: 'text', text: 'Be brief.' }] },
  user: { role: 'user', blocks: [{ type: 'text', text: 'Hi' }] },
  assistant: {
    role: 'assistant',
    blocks: [{ type: 'refusal', text: '' }],
    usage: { inputTokens: 3, outputTokens: 0, cacheReadTokens: 1, cacheCreationTokens: 2, reasoningTokens: 0 },
    model: 'm-1',
  },
  tool: { role: 'tool', toolUseId: 'call_1', isError: false, blocks: [] },
}
