import type { JsonObject, JsonValue, StreamEvent } from '@looprig/core'
import { InferenceError } from '../../failure/errors.ts'

/** One item of the output on its way to blocks. The events of a stream fill it; a whole response only ends it. */
export interface OutputItem {
  /** The item as it was announced: its members may still be empty. */
  begin(item: JsonObject, out: StreamEvent[]): void
  /** An event that belongs to this item; what it does not know it leaves alone. */
  take(type: string, event: JsonObject, out: StreamEvent[]): void
  /** The item as it finally is, where the server says so; what did not come by deltas is taken from there. */
  end(item: JsonObject, out: StreamEvent[]): void
  /** Whether it makes the turn go on. */
  readonly isCall: boolean
}

/** How many blocks one item may become. */
const blocksPerItem = 1024

/** More items than any response has. */
const maxItems = 1_000_000

/**
 * The block of a part of an item. It follows from the two positions alone, so that items and parts which come out of
 * turn still make the message that the whole response makes.
 */
export function blockIndexOf(outputIndex: number, part: number): number {
  if (part >= blocksPerItem) throw new InferenceError('malformed', 'an item of the response has too many parts')
  return outputIndex * blocksPerItem + part
}

/** The position that an event names for its item or part. */
export function position(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < maxItems ? value : undefined
}
