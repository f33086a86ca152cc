import type { ProviderState, ThinkingSeal } from '../content/block.ts'
import type { MediaBlock } from '../content/media.ts'
import type { Usage } from '../usage/usage.ts'

/**
 * Why a response ended. `pause`: the provider broke off work of its own tools and goes on when the message is sent back
 * to it. `unknown` stands for a reason that this vocabulary has no word for.
 */
export type FinishReason = 'stop' | 'length' | 'tool_use' | 'content_filter' | 'refusal' | 'pause' | 'unknown'

/** How a block begins: its kind, and what is known of it before any delta. Media comes whole. */
export type BlockStart =
  | { readonly type: 'text' }
  | { readonly type: 'refusal' }
  | { readonly type: 'thinking' }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string }
  | MediaBlock

/**
 * One piece of a streamed response. `blockIndex` counts over all kinds of block, so that text, tool, text keeps its
 * order. A block starts once, has its deltas, ends once; blocks may interleave; `finish` is last and comes once.
 */
export type StreamEvent =
  | { readonly type: 'block_start'; readonly blockIndex: number; readonly block: BlockStart }
  /** More text of a `text` or `refusal` block. */
  | { readonly type: 'text_delta'; readonly blockIndex: number; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly blockIndex: number; readonly text: string }
  /** More of the JSON text of a call's arguments. */
  | { readonly type: 'tool_input_delta'; readonly blockIndex: number; readonly text: string }
  /**
   * Provider-private data of a block; the last one counts. Only thinking has a seal. What belongs to no text, call or
   * picture stands in a thinking block without text.
   */
  | {
      readonly type: 'block_state'
      readonly blockIndex: number
      readonly seal?: ThinkingSeal
      readonly state?: ProviderState
    }
  | { readonly type: 'block_end'; readonly blockIndex: number }
  /** The request failed before any content and is sent again after the wait. */
  | { readonly type: 'retrying'; readonly attempt: number; readonly delayMs: number; readonly code: string }
  /** The provider's own end marker was seen; without it a stream is truncated. */
  | {
      readonly type: 'finish'
      readonly reason: FinishReason
      /** The provider's own word. */
      readonly rawReason?: string
      readonly usage?: Usage
      readonly model?: string
    }
