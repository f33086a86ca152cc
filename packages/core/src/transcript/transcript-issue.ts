/**
 * What is wrong with a place of a transcript.
 *
 * Of calls and results: `orphan_tool_call` (a call without a result right after its message), `orphan_tool_result` (a
 * result of no call), `result_before_call` (its call comes later), `late_tool_result` (another message came between),
 * `duplicate_tool_result` (its call has one), `result_out_of_order` (results are not in the order of their calls),
 * `duplicate_tool_use_id` (two calls of one message have one id), `missing_tool_use_id`, `missing_tool_name`.
 * Of content: `empty_message` (a system or user message without blocks), `empty_assistant` (it says and asks nothing:
 * no blocks, or only thinking and empty text), `misplaced_block` (of a kind that a message of its role does not have),
 * `invalid_media` (see `mediaFault`).
 * Of a request only: `empty_text`, `empty_result`, `misplaced_system` (after another role), `consecutive_assistant`,
 * `starts_with_assistant`, `unanswerable_end` (the last message is not from a user or a tool).
 */
export type TranscriptIssueCode =
  | 'orphan_tool_call'
  | 'orphan_tool_result'
  | 'result_before_call'
  | 'late_tool_result'
  | 'duplicate_tool_result'
  | 'result_out_of_order'
  | 'duplicate_tool_use_id'
  | 'missing_tool_use_id'
  | 'missing_tool_name'
  | 'empty_message'
  | 'empty_assistant'
  | 'misplaced_block'
  | 'invalid_media'
  | 'empty_text'
  | 'empty_result'
  | 'misplaced_system'
  | 'consecutive_assistant'
  | 'starts_with_assistant'
  | 'unanswerable_end'

/** One fault of a transcript. It names a place and never repeats content. */
export interface TranscriptIssue {
  readonly code: TranscriptIssueCode
  /** The message, counted from 0; 0 for an empty transcript. */
  readonly index: number
  /** The block within the message, where one block is at fault. */
  readonly blockIndex?: number
}
