import type { Block, ThinkingBlock } from '../content/block.ts'
import type { AIMessage } from '../content/message.ts'
import { assertNever } from '../error/assert-never.ts'
import { type Accumulated, Accumulator } from '../stream/accumulator.ts'
import type { BlockStart, FinishReason, StreamEvent } from '../stream/stream-event.ts'

/** How a message is streamed. */
export interface StreamedAs {
  /** The most UTF-16 units of one delta; pairs are cut too. Default: the whole text in one. */
  readonly pieceLength?: number | undefined
  /** Why it ends. Default: `tool_use` when it has a call, else `stop`. */
  readonly reason?: FinishReason | undefined
}

/**
 * Gives the events of a message as a provider would stream it, block after block, `finish` last.
 *
 * @param message - without results, which no response has.
 */
export function streamEventsOf(message: AIMessage, options: StreamedAs = {}): StreamEvent[] {
  const { pieceLength = Number.MAX_SAFE_INTEGER } = options
  const cut = (text: string): readonly string[] => piecesOf(text, pieceLength)
  const events = message.blocks.flatMap((block, blockIndex) => blockEventsOf(block, blockIndex, cut))
  return [...events, finishOf(message, options.reason)]
}

/** Gives the events of one block. `cut` decides on the pieces of its text. */
export function blockEventsOf(
  block: Block,
  blockIndex: number,
  cut: (text: string) => readonly string[] = (text) => [text],
): StreamEvent[] {
  switch (block.type) {
    case 'text':
    case 'refusal': {
      const deltas = cut(block.text).map((text): StreamEvent => ({ type: 'text_delta', blockIndex, text }))
      return wrapped(blockIndex, { type: block.type }, deltas, block)
    }
    case 'thinking': {
      const deltas = cut(block.text).map((text): StreamEvent => ({ type: 'thinking_delta', blockIndex, text }))
      return wrapped(blockIndex, { type: 'thinking' }, deltas, block)
    }
    case 'tool_use': {
      const { id, name } = block
      const json = JSON.stringify(block.input)
      const deltas = cut(json).map((text): StreamEvent => ({ type: 'tool_input_delta', blockIndex, text }))
      return wrapped(blockIndex, { type: 'tool_use', id, name }, deltas, block)
    }
    case 'image':
    case 'audio':
    case 'document':
      return wrapped(blockIndex, block, [], {})
    case 'tool_result':
      throw new TypeError('no response has a tool result')
    default:
      return assertNever(block, 'block')
  }
}

/** Cuts a text into pieces of at most `length` UTF-16 units; none for an empty text. */
export function piecesOf(text: string, length: number): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length))
  return pieces
}

/** Gives the event that ends the stream of a message. */
export function finishOf({ blocks, usage, model }: AIMessage, reason?: FinishReason): StreamEvent {
  const calls = blocks.some((block) => block.type === 'tool_use')
  return {
    type: 'finish',
    reason: reason ?? (calls ? 'tool_use' : 'stop'),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
  }
}

/**
 * Folds events into what they come to.
 *
 * @throws ContentError as `Accumulator` does.
 */
export function foldEvents(events: Iterable<StreamEvent>): Accumulated {
  const accumulator = new Accumulator()
  for (const event of events) accumulator.add(event)
  return accumulator.result()
}

/** Seal and state come in events of their own, as providers send them. */
function wrapped(
  blockIndex: number,
  block: BlockStart,
  deltas: readonly StreamEvent[],
  data: Pick<ThinkingBlock, 'seal' | 'state'>,
): StreamEvent[] {
  const events: StreamEvent[] = [{ type: 'block_start', blockIndex, block }, ...deltas]
  if (data.seal !== undefined) events.push({ type: 'block_state', blockIndex, seal: data.seal })
  if (data.state !== undefined) events.push({ type: 'block_state', blockIndex, state: data.state })
  return [...events, { type: 'block_end', blockIndex }]
}
