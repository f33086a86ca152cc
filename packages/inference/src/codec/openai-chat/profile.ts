/** How one server of the Chat Completions family departs from OpenAI, as data. Absent fields mean OpenAI's way. */
export interface ChatProfile {
  /**
   * The field that carries `maxOutputTokens`. Default: `max_completion_tokens` for a model with `thinking`, else
   * `max_tokens`.
   */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens' | undefined
  /** Whether to ask for usage in a stream; some older servers refuse the field. Default: true. */
  readonly streamUsage?: boolean | undefined
}
