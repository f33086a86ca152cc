import type { ChatProfile } from './profile.ts'

/** The servers that have a profile. */
export type ChatProfileName =
  | 'openai'
  | 'azure'
  | 'compatible'
  | 'deepseek'
  | 'gemini'
  | 'groq'
  | 'lmstudio'
  | 'mistral'
  | 'moonshot'
  | 'ollama'
  | 'openrouter'
  | 'vllm'
  | 'xai'

/**
 * What is known of servers that speak Chat Completions. Change one by spreading it, for example
 * `{...chatProfiles.openrouter, assistantAfterTools: true}` for a Mistral model behind OpenRouter.
 */
export const chatProfiles: Readonly<Record<ChatProfileName, ChatProfile>> = {
  openai: { someTools: 'allowed_tools' },
  azure: { someTools: 'allowed_tools' },
  compatible: {},
  /** Wants `reasoning_content` on every past message of the assistant, if only an empty one; has no JSON Schema. */
  deepseek: {
    maxTokensField: 'max_tokens',
    replay: { as: 'reasoning_content', when: 'always' },
    responseFormat: 'json_object',
    refusalAs: 'text',
  },
  gemini: { replayExtraContent: true, refusalAs: 'text' },
  groq: { replay: { as: 'reasoning', when: 'tool-loop' }, refusalAs: 'text' },
  /** Takes no tool choice but a word. */
  lmstudio: { maxTokensField: 'max_tokens', someTools: 'send', refusalAs: 'text' },
  /** Refuses every field that it does not know, other forms of ids, and a user right after tool results. */
  mistral: {
    maxTokensField: 'max_tokens',
    streamUsage: false,
    replay: { as: 'content', when: 'tool-loop' },
    toolCallIds: 'nine-alphanumerics',
    requiredToolChoice: 'any',
    assistantAfterTools: true,
    refusalAs: 'text',
    documents: 'document_url',
    audio: 'base64',
  },
  moonshot: { maxTokensField: 'max_tokens', replay: { as: 'reasoning_content', when: 'tool-loop' }, refusalAs: 'text' },
  ollama: {
    maxTokensField: 'max_tokens',
    replay: { as: 'reasoning', when: 'tool-loop' },
    someTools: 'send',
    refusalAs: 'text',
  },
  openrouter: {
    effortField: 'reasoning',
    replay: { as: 'reasoning_details', when: 'always' },
    someTools: 'name',
    documentUrls: true,
    cacheMarkers: true,
  },
  vllm: { maxTokensField: 'max_tokens', replay: { as: 'reasoning', when: 'tool-loop' }, refusalAs: 'text' },
  xai: {},
}
