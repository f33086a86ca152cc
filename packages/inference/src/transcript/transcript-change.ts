/**
 * What was done to a history.
 *
 * `block_dropped`; `block_replaced` (by text that stands for it); `state_removed` (private data of another provider);
 * `id_renamed` and `name_renamed` (of a call, and its result with it); `text_added` (to a result without content);
 * `message_dropped`; `message_inserted`; `message_merged` (into the one before it); `message_moved`; `role_changed`.
 */
export type TranscriptChangeKind =
  | 'block_dropped'
  | 'block_replaced'
  | 'state_removed'
  | 'id_renamed'
  | 'name_renamed'
  | 'text_added'
  | 'message_dropped'
  | 'message_inserted'
  | 'message_merged'
  | 'message_moved'
  | 'role_changed'

/**
 * Why a history was changed.
 *
 * Of private data: `foreign_thinking` (sealed or kept by another provider), `unsealed_thinking` (the target wants its
 * own seal), `foreign_state`. Of calls: `illegal_tool_id`, `duplicate_tool_id` (an earlier call has it),
 * `illegal_tool_name`, `orphan_tool_call` (a call without a result), `orphan_tool_result` (a result without a call),
 * `result_out_of_order`. Of content: `unsupported_media`, `invalid_media` (see `mediaFault` of core),
 * `unsupported_refusal`, `misplaced_block` (no message of its role has such a block), `empty`. Of order:
 * `misplaced_system`, `consecutive_role`, `starts_with_assistant`.
 */
export type TranscriptChangeReason =
  | 'foreign_thinking'
  | 'unsealed_thinking'
  | 'foreign_state'
  | 'illegal_tool_id'
  | 'duplicate_tool_id'
  | 'illegal_tool_name'
  | 'orphan_tool_call'
  | 'orphan_tool_result'
  | 'result_out_of_order'
  | 'unsupported_media'
  | 'invalid_media'
  | 'unsupported_refusal'
  | 'misplaced_block'
  | 'empty'
  | 'misplaced_system'
  | 'consecutive_role'
  | 'starts_with_assistant'

/** One change of a history. It names a place of what was given and never repeats content. */
export interface TranscriptChange {
  /** The message, counted from 0. What was inserted counts as a part of the one that needs it. */
  readonly index: number
  /** The block within the message, where one block was changed. */
  readonly blockIndex?: number
  readonly change: TranscriptChangeKind
  readonly reason: TranscriptChangeReason
}

/** Takes a change of one message. */
export type ReportChange = (change: TranscriptChangeKind, reason: TranscriptChangeReason, blockIndex?: number) => void
