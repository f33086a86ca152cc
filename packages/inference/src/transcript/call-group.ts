import { type ToolResultMessage, textBlock, type UserMessage } from '@looprig/core'
import type { AdaptedOutput } from './adapted-output.ts'

/** A call whose result is looked for. */
export interface WaitingCall {
  /** As the history has it. */
  readonly id: string
  /** As the target gets it. */
  readonly newId: string
  readonly index: number
  readonly blockIndex: number
}

interface FoundResult {
  readonly message: ToolResultMessage
  readonly index: number
  /** Which one it was of the results that came. */
  readonly rank: number
}

/** The calls of one assistant message, and what comes for them before the next message of another kind. */
export class CallGroup {
  readonly #calls: readonly WaitingCall[]
  /** The calls of each id that have no result yet, the last one first. */
  readonly #waiting = new Map<string, WaitingCall[]>()
  readonly #results = new Map<WaitingCall, FoundResult>()
  readonly #strays: { readonly message: UserMessage; readonly index: number }[] = []

  constructor(calls: readonly WaitingCall[]) {
    this.#calls = calls
    for (const call of calls.toReversed()) {
      const same = this.#waiting.get(call.id)
      if (same === undefined) this.#waiting.set(call.id, [call])
      else same.push(call)
    }
  }

  /** The call that a result answers; `undefined` when none waits for it. */
  find(toolUseId: string): WaitingCall | undefined {
    return this.#waiting.get(toolUseId)?.at(-1)
  }

  answer(call: WaitingCall, message: ToolResultMessage, index: number): void {
    this.#waiting.get(call.id)?.pop()
    this.#results.set(call, { message, index, rank: this.#results.size })
  }

  /** Keeps what answers no call until the results are complete: nothing may stand between them. */
  keepStray(message: UserMessage, index: number): void {
    this.#strays.push({ message, index })
  }

  /** Writes one result per call, in call order, then the rest. */
  write(out: AdaptedOutput): void {
    let rank = 0
    for (const call of this.#calls) {
      const found = this.#results.get(call)
      if (found === undefined) {
        out.report(call.index, 'message_inserted', 'orphan_tool_call', call.blockIndex)
        out.add(missingResult(call.newId), call.index)
        continue
      }
      if (found.rank !== rank) out.report(found.index, 'message_moved', 'result_out_of_order')
      rank += 1
      out.add(found.message, found.index)
    }
    for (const { message, index } of this.#strays) out.add(message, index)
  }
}

function missingResult(toolUseId: string): ToolResultMessage {
  const text = '[There is no result of this call: it was interrupted, and may or may not have had an effect.]'
  return { role: 'tool', toolUseId, isError: true, blocks: [textBlock(text)] }
}
