import { type JsonValue, tokenCount, type Usage } from '@looprig/core'
import { objectOfMember } from '../../wire/json-members.ts'

const fields = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
] as const

/** The counts of one response as its chunks report them; of each, the last one counts. */
export class UsageCounts {
  readonly #counts: Partial<Record<(typeof fields)[number], number>> = {}
  #reported = false

  take(value: JsonValue | undefined): void {
    const raw = objectOfMember(value)
    if (raw === undefined) return
    this.#reported = true
    for (const field of fields) {
      const count = tokenCount(raw[field])
      if (count !== undefined) this.#counts[field] = count
    }
  }

  /**
   * The neutral counts. Cached tokens are a part of the wire's prompt and are taken out of ours; thoughts stand beside
   * its output, of which ours are a part. The wire leaves a zero out, so a total that is missing is 0.
   */
  get usage(): Usage | undefined {
    if (!this.#reported) return undefined
    const { promptTokenCount: prompt = 0, toolUsePromptTokenCount: toolUse = 0 } = this.#counts
    const {
      candidatesTokenCount: candidates = 0,
      cachedContentTokenCount: cached,
      thoughtsTokenCount: thoughts,
    } = this.#counts
    return {
      inputTokens: Math.max(0, prompt - (cached ?? 0)) + toolUse,
      outputTokens: candidates + (thoughts ?? 0),
      ...(cached === undefined ? {} : { cacheReadTokens: Math.min(cached, prompt) }),
      ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
    }
  }
}
