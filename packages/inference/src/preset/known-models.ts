import type { ModelCapabilities } from '../model/model.ts'
import type { KnownModels } from './model-preset.ts'

/*
 * Families whose abilities the providers have documented and kept for the life of the family. A model that is not here
 * has no capabilities until its composer says so: to claim one that is missing fails requests, to leave one out does not.
 */

const seeing: ModelCapabilities = { tools: true, images: true, documents: true }
const claude: ModelCapabilities = { ...seeing, promptCaching: true }

/** The dots are for OpenRouter, which writes `claude-sonnet-4.5`. */
export const claudeModels: readonly KnownModels[] = [
  {
    match: /claude-(?:opus|sonnet)-4[-.][6-9]\b/,
    capabilities: { ...claude, thinking: true, thinkingDialect: 'adaptive', structuredOutput: true },
    limits: { windowTokens: 200_000, maxOutputTokens: 64_000 },
  },
  {
    match: /claude-(?:opus|sonnet|haiku)-4[-.]5\b/,
    capabilities: { ...claude, thinking: true, thinkingDialect: 'budget', structuredOutput: true },
    limits: { windowTokens: 200_000, maxOutputTokens: 64_000 },
  },
  {
    match: /claude-(?:opus-4|4-opus)/,
    capabilities: { ...claude, thinking: true, thinkingDialect: 'budget' },
    limits: { windowTokens: 200_000, maxOutputTokens: 32_000 },
  },
  {
    match: /claude-(?:sonnet-4|4-sonnet|3[-.]7-sonnet)/,
    capabilities: { ...claude, thinking: true, thinkingDialect: 'budget' },
    limits: { windowTokens: 200_000, maxOutputTokens: 64_000 },
  },
  {
    match: /claude-3[-.]5-(?:sonnet|haiku)/,
    capabilities: claude,
    limits: { windowTokens: 200_000, maxOutputTokens: 8192 },
  },
]

/** Which of them hold to a schema there differs by region, so none is said to. */
export const bedrockModels: readonly KnownModels[] = [
  ...claudeModels.map(({ capabilities: { structuredOutput: _, ...capabilities }, ...rest }) => ({
    ...rest,
    capabilities,
  })),
  { match: /amazon\.nova-(?:pro|lite)-v1/, capabilities: seeing, limits: { windowTokens: 300_000 } },
  { match: /amazon\.nova-micro-v1/, capabilities: { tools: true }, limits: { windowTokens: 128_000 } },
]

const openAI: ModelCapabilities = { ...seeing, structuredOutput: true }
const openAIThinking: ModelCapabilities = { ...openAI, thinking: true, thinkingDialect: 'adaptive' }

export const openAIModels: readonly KnownModels[] = [
  {
    match: /gpt-5[\w.]*-chat/,
    capabilities: openAI,
    limits: { windowTokens: 128_000, maxOutputTokens: 16_384 },
  },
  { match: /gpt-5/, capabilities: openAIThinking, limits: { windowTokens: 400_000, maxOutputTokens: 128_000 } },
  {
    match: /(?:^|\/)(?:o3|o4-mini)\b/,
    capabilities: openAIThinking,
    limits: { windowTokens: 200_000, maxOutputTokens: 100_000 },
  },
  { match: /gpt-4\.1/, capabilities: openAI, limits: { windowTokens: 1_047_576, maxOutputTokens: 32_768 } },
  {
    match: /gpt-4o(?!-audio|-realtime|-transcribe|-search|-mini-(?:audio|realtime|transcribe|search|tts))/,
    capabilities: openAI,
    limits: { windowTokens: 128_000, maxOutputTokens: 16_384 },
  },
]

const gemini: ModelCapabilities = { ...seeing, audio: true, thinking: true, structuredOutput: true }
const geminiLimits = { windowTokens: 1_048_576, maxOutputTokens: 65_536 }

export const geminiModels: readonly KnownModels[] = [
  // those that give pictures, speech or music take neither tools nor schemas
  { match: /gemini-[\w.]+(?:-[\w.]+)*-(?:image|tts|audio|live|embedding)/, capabilities: {} },
  { match: /gemini-3/, capabilities: { ...gemini, thinkingDialect: 'adaptive' }, limits: geminiLimits },
  { match: /gemini-2\.5/, capabilities: { ...gemini, thinkingDialect: 'budget' }, limits: geminiLimits },
]

const structured: ModelCapabilities = { tools: true, structuredOutput: true }

export const mistralModels: readonly KnownModels[] = [
  { match: /^(?:mistral-(?:medium|small)-latest|pixtral-)/, capabilities: { ...structured, images: true } },
  { match: /^(?:mistral-large|codestral|devstral|ministral)-/, capabilities: structured },
  { match: /^magistral-/, capabilities: { tools: true, thinking: true } },
]

/** Its JSON mode knows no schema, so a forced tool gives a form. */
export const deepSeekModels: readonly KnownModels[] = [
  { match: /^deepseek-chat$/, capabilities: { tools: true }, limits: { windowTokens: 131_072 } },
  { match: /^deepseek-reasoner$/, capabilities: { tools: true, thinking: true }, limits: { windowTokens: 131_072 } },
]

export const groqModels: readonly KnownModels[] = [
  {
    match: /^openai\/gpt-oss-/,
    capabilities: { ...structured, thinking: true, thinkingDialect: 'adaptive' },
    limits: { windowTokens: 131_072 },
  },
  { match: /^llama-3\.[13]-/, capabilities: { tools: true }, limits: { windowTokens: 131_072 } },
]

export const xaiModels: readonly KnownModels[] = [
  {
    match: /^grok-4/,
    capabilities: { ...structured, images: true, thinking: true },
    limits: { windowTokens: 256_000 },
  },
  { match: /^grok-3/, capabilities: structured, limits: { windowTokens: 131_072 } },
]

/** Those of others by their names there; which server behind it holds to a schema differs, so none is said to. */
export const openRouterModels: readonly KnownModels[] = [
  ...renamed('anthropic/', claudeModels),
  ...renamed('openai/', openAIModels),
  ...renamed('google/', geminiModels),
]

function renamed(prefix: string, models: readonly KnownModels[]): KnownModels[] {
  return models.map(({ match, capabilities: { structuredOutput: _, ...capabilities }, ...rest }) => ({
    ...rest,
    match: new RegExp(`^${prefix}.*${match.source}`),
    capabilities,
  }))
}
