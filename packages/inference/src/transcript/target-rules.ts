import * as anthropic from '../codec/anthropic-messages/formats.ts'
import * as bedrock from '../codec/bedrock-converse/formats.ts'
import { geminiFormat } from '../codec/gemini/own-state.ts'
import { annotationsFormat, extraContentFormat, reasoningDetailsFormat } from '../codec/openai-chat/state-formats.ts'
import { responsesFormat } from '../codec/openai-responses/own-state.ts'
import type { WireApi } from '../codec/wire-codec.ts'
import type { ModelCapabilities } from '../model/model.ts'
import { type MediaSupport, mediaRules } from './target-media.ts'
import type { TranscriptRules } from './transcript-rules.ts'

interface TargetRules extends Omit<TranscriptRules, 'target' | 'media'> {
  readonly media: MediaSupport
}

/** What the encoders of this package take, or put right without a loss by themselves. */
const base = {
  unsealedThinking: 'drop',
  refusals: 'text',
  blankText: 'keep',
  emptyResults: 'fill',
  systemMessages: 'first',
  consecutiveRoles: 'keep',
  beginning: 'user',
} as const

const targets: { readonly [Api in WireApi]: TargetRules } = {
  'anthropic-messages': {
    ...base,
    sealFormats: [anthropic.sealFormat],
    stateFormats: [anthropic.redactedFormat, anthropic.opaqueFormat],
    toolIds: { pattern: /^[\w-]+$/, maxLength: 128 },
    toolNames: { pattern: /^[\w-]+$/, maxLength: 128 },
    blankText: 'drop',
    media: mediaRules['anthropic-messages'],
  },
  'openai-chat': {
    ...base,
    sealFormats: [],
    stateFormats: [reasoningDetailsFormat, extraContentFormat, annotationsFormat],
    unsealedThinking: 'keep',
    // what OpenAI takes; servers that make longer ones take theirs back
    toolIds: { pattern: /^[\x21-\x7e]+$/, maxLength: 40 },
    toolNames: { pattern: /^[\w-]+$/, maxLength: 64 },
    refusals: 'keep',
    emptyResults: 'keep',
    systemMessages: 'anywhere',
    beginning: 'any',
    media: mediaRules['openai-chat'],
  },
  'openai-responses': {
    ...base,
    sealFormats: [],
    stateFormats: [responsesFormat],
    toolIds: { pattern: /^[\x21-\x7e]+$/, maxLength: 64 },
    toolNames: { pattern: /^[\w-]+$/, maxLength: 64 },
    emptyResults: 'keep',
    beginning: 'any',
    media: mediaRules['openai-responses'],
  },
  gemini: {
    ...base,
    sealFormats: [],
    stateFormats: [geminiFormat],
    toolIds: { pattern: /^[\x21-\x7e]+$/, maxLength: 256 },
    toolNames: { pattern: /^[a-zA-Z_][\w.:-]*$/, maxLength: 128 },
    media: mediaRules.gemini,
  },
  'bedrock-converse': {
    ...base,
    sealFormats: [bedrock.sealFormat],
    stateFormats: [bedrock.redactedFormat, bedrock.citationsFormat],
    toolIds: { pattern: /^[\w.:-]+$/, maxLength: 64 },
    toolNames: { pattern: /^[\w-]+$/, maxLength: 64 },
    blankText: 'drop',
    media: mediaRules['bedrock-converse'],
  },
}

/**
 * Gives what a history must be like for a wire protocol and a model that speaks it.
 *
 * @param capabilities - of the model: what it does not claim to take is said in words. Default: none.
 */
export function transcriptRules(api: WireApi, capabilities: ModelCapabilities = {}): TranscriptRules {
  const { media, ...rules } = targets[api]
  const { images, audio, documents } = capabilities
  return {
    ...rules,
    target: api,
    media: {
      image: images === true ? media.image.able : media.image.unable,
      audio: audio === true ? media.audio.able : media.audio.unable,
      document: documents === true ? media.document.able : media.document.unable,
    },
  }
}
