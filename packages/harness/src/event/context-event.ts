import type { LoopId, TurnId, Usage, UserMessage } from '@looprig/core'
import type { CompactionCause, CompactionReason } from '../context/compaction-result.ts'
import type { ContextLevel } from '../context/context-level.ts'

/**
 * The older part of a loop's history is a summary from now on: what the model sees is `summary`, then every record from
 * `tailFrom` to `through` as it was. The journal keeps what was summarised.
 */
export interface CompactionCommitted {
  readonly type: 'CompactionCommitted'
  readonly loopId: LoopId
  /** The running turn between two steps of which it came; absent for one at rest. */
  readonly turnId?: TurnId
  readonly reason: CompactionReason
  /** The seq of the last record that was in history when it was made. */
  readonly through: number
  /** The seq of the first record that is kept; `through + 1` when none is. */
  readonly tailFrom: number
  /** One text. */
  readonly summary: UserMessage
  /** What the request of the summary cost; no part of any turn's usage. */
  readonly usage: Usage
}

/** A compaction came to nothing; history is as it was. One that was interrupted leaves no record. */
export interface CompactionRejected {
  readonly type: 'CompactionRejected'
  readonly loopId: LoopId
  readonly turnId?: TurnId
  readonly reason: CompactionReason
  readonly cause: CompactionCause
  /** The seq of the last record that was in history when it began. */
  readonly through: number
  /** What the request of the summary cost, as far as that was told; absent when none was sent. */
  readonly usage?: Usage
}

/** The context of a loop became fuller or less full. Ephemeral; only when the level changes. */
export interface ContextPressure {
  readonly type: 'ContextPressure'
  readonly loopId: LoopId
  /** The tokens of the next request as far as they are known. */
  readonly inputTokens: number
  /** The most that it may have. */
  readonly limitTokens: number
  readonly level: ContextLevel
  readonly previous: ContextLevel
}
