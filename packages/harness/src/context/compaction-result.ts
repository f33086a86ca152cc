import type { LoopId, Usage, UserMessage } from '@looprig/core'

/** Why a compaction was made: the context was full, or somebody asked for it. */
export type CompactionReason = 'automatic' | 'manual'

/**
 * Why a compaction came to nothing, as it is recorded.
 *
 * - `unavailable`: there is nothing older than what is always kept.
 * - `denied`: a guard refused it, or failed.
 * - `execution_failed`: the model gave no response, or not in time.
 * - `invalid_summary`: what it answered is not the document that it was asked for.
 * - `summary_too_large`: the summary is longer than it may be, or than what it would replace.
 * - `retained_tail_too_large`: what is always kept leaves no room for a summary.
 * - `context_count_failed`: the counter failed.
 * - `stale`: the history grew meanwhile.
 */
export type CompactionCause =
  | 'unavailable'
  | 'denied'
  | 'execution_failed'
  | 'invalid_summary'
  | 'summary_too_large'
  | 'retained_tail_too_large'
  | 'context_count_failed'
  | 'stale'

/** Every cause, for those who read one from a journal. */
export const compactionCauses = Object.keys({
  unavailable: 0,
  denied: 0,
  execution_failed: 0,
  invalid_summary: 0,
  summary_too_large: 0,
  retained_tail_too_large: 0,
  context_count_failed: 0,
  stale: 0,
} satisfies Record<CompactionCause, 0>) as [CompactionCause, ...CompactionCause[]] // proved: `satisfies` names each

/** What `session.compact` came to. Frozen. */
export type CompactionResult =
  | {
      readonly status: 'committed'
      readonly loopId: LoopId
      /** The seqs that `CompactionCommitted` names. */
      readonly through: number
      readonly tailFrom: number
      readonly summary: UserMessage
      readonly usage: Usage
    }
  | {
      readonly status: 'rejected'
      readonly loopId: LoopId
      /** Besides the recorded causes: `interrupted`, by a person or the session's end; `unsupported`: no policy. */
      readonly cause: CompactionCause | 'interrupted' | 'unsupported'
      readonly usage: Usage
    }
