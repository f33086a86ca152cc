import { isJsonValue, type JsonObject, type StreamEvent } from '@looprig/core'
import { objectOfMember, textOfMember } from '../../wire/json-members.ts'
import { ownState } from './own-state.ts'
import { PartialArgs } from './partial-args.ts'

/** One call on its way: whole in one part, or begun in one and continued in others. */
export class FunctionCall {
  readonly #blockIndex: number
  readonly #wireId: string | undefined
  readonly #partial = new PartialArgs()
  #isPartial = false
  #signature: string | undefined

  /** @param id - stands for the id that the provider did not give. */
  constructor(blockIndex: number, call: JsonObject, name: string, id: () => string, out: StreamEvent[]) {
    this.#blockIndex = blockIndex
    this.#wireId = textOfMember(call.id)
    out.push({ type: 'block_start', blockIndex, block: { type: 'tool_use', id: this.#wireId ?? id(), name } })
  }

  /** Takes the `functionCall` of a part. Says whether the call is over with it. */
  take(call: JsonObject, signature: string | undefined, out: StreamEvent[]): boolean {
    const { args, partialArgs, willContinue } = call
    this.#signature = signature ?? this.#signature
    this.#isPartial ||= willContinue === true || partialArgs !== undefined
    const whole = objectOfMember(args)
    if (!this.#isPartial) {
      if (whole !== undefined) this.#input(isJsonValue(whole) ? JSON.stringify(whole) : tooDeep, out)
    } else {
      if (whole !== undefined && isJsonValue(whole)) this.#partial.takeWhole(whole)
      this.#partial.take(partialArgs)
    }
    if (willContinue === true) return false
    this.#end(out)
    return true
  }

  /** Nothing more comes, though it was to be continued: what is there must not run. */
  breakOff(out: StreamEvent[]): void {
    this.#partial.spoil()
    this.#end(out)
  }

  #end(out: StreamEvent[]): void {
    const blockIndex = this.#blockIndex
    if (this.#isPartial) this.#input(this.#partial.json(), out)
    if (this.#signature !== undefined || this.#wireId !== undefined) {
      const state = ownState({
        ...(this.#signature === undefined ? {} : { thoughtSignature: this.#signature }),
        ...(this.#wireId === undefined ? {} : { id: this.#wireId }),
      })
      out.push({ type: 'block_state', blockIndex, state })
    }
    out.push({ type: 'block_end', blockIndex })
  }

  #input(text: string, out: StreamEvent[]): void {
    out.push({ type: 'tool_input_delta', blockIndex: this.#blockIndex, text })
  }
}

const tooDeep = '"arguments nested too deep"'
