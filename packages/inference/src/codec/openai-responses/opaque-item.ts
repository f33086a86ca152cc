import { isJsonValue, type JsonObject, type StreamEvent } from '@looprig/core'
import { blockIndexOf, type OutputItem } from './output-item.ts'
import { ownState } from './own-state.ts'

/** The most characters of JSON that are kept of an item: more is a file, which nobody reads back from history. */
const maxKeptCharacters = 256 * 1024

/**
 * An item that this library has no word for: a search that the provider ran itself, for example. It is kept as it is
 * in a thinking block without text, so that the provider gets it back in its place and nobody takes it for a call.
 */
export class OpaqueItem implements OutputItem {
  readonly isCall = false
  readonly #blockIndex: number

  constructor(outputIndex: number) {
    this.#blockIndex = blockIndexOf(outputIndex, 0)
  }

  begin(): void {}

  take(): void {}

  end(item: JsonObject, out: StreamEvent[]): void {
    if (typeof item.type !== 'string' || speaksForOthers(item.type, item) || !isJsonValue(item)) return
    if (JSON.stringify(item).length > maxKeptCharacters) return
    const blockIndex = this.#blockIndex
    out.push(
      { type: 'block_start', blockIndex, block: { type: 'thinking' } },
      { type: 'block_state', blockIndex, state: ownState({ item }) },
      { type: 'block_end', blockIndex },
    )
  }
}

/** What only a client may say: sent back, it would pass for a message, a result or something stored. */
function speaksForOthers(type: string, item: JsonObject): boolean {
  return 'role' in item || type === 'item_reference' || /^(?:function|custom_tool)_call_output$/.test(type)
}
