import type { JsonObject } from '@looprig/core'
import { optionError } from '../../failure/option-error.ts'

/** How one kind of server departs from the Chat Completions protocol, as data. Absent fields mean the plain protocol. */
export interface ChatProfile {
  /**
   * The field that carries `maxOutputTokens`. Default: `max_completion_tokens` for a model with `thinking`, else
   * `max_tokens`.
   */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens' | undefined
  /** Whether to ask for usage in a stream; some servers refuse the field. Default: true. */
  readonly streamUsage?: boolean | undefined
  /** The role of instructions. Default: `system`, which OpenAI takes for its newer role too. */
  readonly systemRole?: 'system' | 'developer' | undefined
  /** Where `effort` goes: `reasoning_effort`, or `{reasoning: {effort}}`. Default: `reasoning_effort`. */
  readonly effortField?: 'reasoning_effort' | 'reasoning' | undefined
  /** What past thinking goes back, and where; absent: none does, as OpenAI has it. */
  readonly replay?: ChatReplay | undefined
  /** Sends back what a server attached to a tool call, as Gemini wants its thought signatures. Default: false. */
  readonly replayExtraContent?: boolean | undefined
  /** Rewrites the ids of calls and of their results to nine letters and digits. Default: they go as they are. */
  readonly toolCallIds?: 'nine-alphanumerics' | undefined
  /** The word for a call that must be made. Default: `required`. */
  readonly requiredToolChoice?: 'required' | 'any' | undefined
  /**
   * How a choice of some of the tools is made: by naming them, or, where a server takes no such choice, by sending
   * these tools only. Default: one tool is named, several are sent alone.
   */
  readonly someTools?: 'name' | 'allowed_tools' | 'send' | undefined
  /** A message of the assistant stands between tool results and the next message of a user. Default: false. */
  readonly assistantAfterTools?: boolean | undefined
  /** Whether a past refusal goes back as such, or as text. Default: as a refusal. */
  readonly refusalAs?: 'refusal' | 'text' | undefined
  /** How files go: `file` with a data URI, `document_url`, or not at all. Default: `file`. */
  readonly documents?: 'file' | 'document_url' | 'none' | undefined
  /** Whether files may also be given by URL. Default: false, but true for `document_url`. */
  readonly documentUrls?: boolean | undefined
  /** How sound goes: `{data, format}`, the bare base64, or not at all. Default: `object`. */
  readonly audio?: 'object' | 'base64' | 'none' | undefined
  /** Whether content parts take cache markers, for a model with `promptCaching`. Default: false. */
  readonly cacheMarkers?: boolean | undefined
  /** How `output` is asked for; `json_object` adds the schema to the instructions. Default: `json_schema`. */
  readonly responseFormat?: 'json_schema' | 'json_object' | undefined
  /** More fields of every body, for what only this server knows. Fields that the codec writes outrank them. */
  readonly body?: JsonObject | undefined
}

/**
 * How past thinking goes back: in the tool loop to a model with `thinking`, always to any but one whose `thinking` is
 * false. Thinking that another protocol has sealed never does.
 */
export interface ChatReplay {
  /** The member that holds it; `content`: thinking parts before the text. */
  readonly as: 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'content'
  /** Since the last message of a user, or always; then it is sent, empty, also for a message that has none. */
  readonly when: 'tool-loop' | 'always'
}

/**
 * Checks the part of a profile that types cannot.
 *
 * @throws InferenceError `invalid_options`.
 */
export function checkProfile(profile: ChatProfile): ChatProfile {
  for (const field of written) {
    if (profile.body !== undefined && Object.hasOwn(profile.body, field)) {
      throw optionError(`profile.body.${field}`, 'is written by the codec')
    }
  }
  return profile
}

const written = ['messages', 'tools', 'stream'] as const
