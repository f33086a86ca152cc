import {
  bedrockModels,
  claudeModels,
  deepSeekModels,
  geminiModels,
  groqModels,
  mistralModels,
  openAIModels,
  openRouterModels,
  xaiModels,
} from './known-models.ts'
import type { AnthropicPreset, BedrockPreset, ChatPreset, GeminiPreset, ResponsesPreset } from './model-preset.ts'

/** The presets by name. */
export interface ModelPresets {
  readonly anthropic: AnthropicPreset
  readonly bedrock: BedrockPreset
  readonly deepseek: ChatPreset
  readonly gemini: GeminiPreset
  readonly groq: ChatPreset
  readonly lmstudio: ChatPreset
  readonly mistral: ChatPreset
  readonly ollama: ChatPreset
  readonly openai: ResponsesPreset
  readonly openrouter: ChatPreset
  readonly vllm: ChatPreset
  readonly xai: ChatPreset
}

/** The providers that have a preset. */
export type ModelPresetName = keyof ModelPresets

/**
 * Where providers are reached and how, as data. Change one by spreading it, for example
 * `{...modelPresets.openrouter, profile: {...chatProfiles.openrouter, assistantAfterTools: true}}`.
 */
export const modelPresets: ModelPresets = {
  anthropic: {
    provider: 'anthropic',
    api: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    keyHeader: 'x-api-key',
    keyVariable: 'ANTHROPIC_API_KEY',
    models: claudeModels,
  },
  bedrock: {
    provider: 'bedrock',
    api: 'bedrock-converse',
    keyHeader: 'bearer',
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    regionVariable: 'AWS_REGION',
    models: bedrockModels,
  },
  deepseek: chat('deepseek', 'https://api.deepseek.com', 'DEEPSEEK_API_KEY', deepSeekModels),
  gemini: {
    provider: 'gemini',
    api: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyHeader: 'x-goog-api-key',
    keyVariable: 'GEMINI_API_KEY',
    models: geminiModels,
  },
  groq: chat('groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY', groqModels),
  lmstudio: chat('lmstudio', 'http://localhost:1234/v1'),
  mistral: chat('mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY', mistralModels),
  ollama: chat('ollama', 'http://localhost:11434/v1'),
  openai: {
    provider: 'openai',
    api: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    keyHeader: 'bearer',
    keyVariable: 'OPENAI_API_KEY',
    models: openAIModels,
  },
  openrouter: chat('openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', openRouterModels),
  vllm: chat('vllm', 'http://localhost:8000/v1'),
  xai: chat('xai', 'https://api.x.ai/v1', 'XAI_API_KEY', xaiModels),
}

/** A provider whose profile has its name. */
function chat(
  provider: 'deepseek' | 'groq' | 'lmstudio' | 'mistral' | 'ollama' | 'openrouter' | 'vllm' | 'xai',
  baseUrl: string,
  keyVariable?: string,
  models: ChatPreset['models'] = [],
): ChatPreset {
  return { provider, api: 'openai-chat', baseUrl, keyHeader: 'bearer', keyVariable, profile: provider, models }
}
