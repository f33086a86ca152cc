import type { ChatProfile } from '../codec/openai-chat/profile.ts'
import type { ChatProfileName } from '../codec/openai-chat/profiles.ts'
import type { ModelCapabilities, ModelLimits } from '../model/model.ts'

/** What is known of some models of a provider. */
export interface KnownModels {
  /** The wire names that this holds for. */
  readonly match: RegExp
  readonly capabilities: ModelCapabilities
  readonly limits?: ModelLimits | undefined
}

/** What all presets say: data only, with no secret in it. */
export interface PresetBase {
  /** `Model.provider` of the models. */
  readonly provider: string
  /** Absent where it follows from something else, as from a region. */
  readonly baseUrl?: string | undefined
  /**
   * The environment variable in which people keep the key. Only a name: nothing here reads it, whoever composes the
   * program does. Absent for servers that want no key.
   */
  readonly keyVariable?: string | undefined
  /** The first entry that matches a name counts. A model that none matches has no capabilities of its own. */
  readonly models: readonly KnownModels[]
}

/** A provider that speaks Anthropic Messages. */
export interface AnthropicPreset extends PresetBase {
  readonly api: 'anthropic-messages'
  readonly keyHeader: 'x-api-key' | 'bearer'
}

/** A provider that speaks OpenAI Chat Completions. */
export interface ChatPreset extends PresetBase {
  readonly api: 'openai-chat'
  readonly keyHeader: 'bearer' | 'api-key'
  /** How the server departs from the protocol, by name or in full. */
  readonly profile: ChatProfileName | ChatProfile
}

/** A provider that speaks OpenAI Responses. */
export interface ResponsesPreset extends PresetBase {
  readonly api: 'openai-responses'
  readonly keyHeader: 'bearer' | 'api-key'
}

/** A provider that speaks Gemini. */
export interface GeminiPreset extends PresetBase {
  readonly api: 'gemini'
  readonly keyHeader: 'x-goog-api-key' | 'bearer'
}

/** AWS Bedrock: signed, or with a key. */
export interface BedrockPreset extends PresetBase {
  readonly api: 'bedrock-converse'
  readonly keyHeader: 'bearer'
  /** The environment variable in which people keep the region. */
  readonly regionVariable: string
}

/** How one provider is reached, and what is known of its models. */
export type ModelPreset = AnthropicPreset | ChatPreset | ResponsesPreset | GeminiPreset | BedrockPreset
