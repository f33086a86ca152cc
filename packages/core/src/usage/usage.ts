/**
 * Tokens that one response cost. The three input parts are disjoint; `reasoningTokens` is a part of `outputTokens`.
 * An absent field was not reported, which is not zero.
 */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheCreationTokens?: number
  readonly reasoningTokens?: number
}

const fields = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'reasoningTokens'] as const

/** A count as a provider or a store gave it; `undefined` when it is no whole number from 0 to the largest safe one. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Leaves out the counts that make no sense, as if they had not been reported. Never throws. */
export function soundUsage(usage: Usage): Usage {
  if (fields.every((field) => usage[field] === undefined || tokenCount(usage[field]) !== undefined)) return usage
  const sound: { -readonly [K in keyof Usage]: number } = { ...usage }
  for (const field of fields) if (tokenCount(usage[field]) === undefined) delete sound[field]
  return sound
}

/** Adds two usages field by field. Never throws: a count that makes no sense adds nothing, a sum stops at the largest safe integer. */
export function addUsage(a: Usage, b: Usage): Usage {
  // field by field, since it is called for every response: a loop over names costs ten times as much
  const sum: { -readonly [K in keyof Usage]: number } = {}
  const input = addCounts(a.inputTokens, b.inputTokens)
  if (input !== undefined) sum.inputTokens = input
  const output = addCounts(a.outputTokens, b.outputTokens)
  if (output !== undefined) sum.outputTokens = output
  const cacheRead = addCounts(a.cacheReadTokens, b.cacheReadTokens)
  if (cacheRead !== undefined) sum.cacheReadTokens = cacheRead
  const cacheCreation = addCounts(a.cacheCreationTokens, b.cacheCreationTokens)
  if (cacheCreation !== undefined) sum.cacheCreationTokens = cacheCreation
  const reasoning = addCounts(a.reasoningTokens, b.reasoningTokens)
  if (reasoning !== undefined) sum.reasoningTokens = reasoning
  return sum
}

function addCounts(a: number | undefined, b: number | undefined): number | undefined {
  const left = tokenCount(a)
  const right = tokenCount(b)
  return left === undefined && right === undefined ? undefined : saturatingSum(left, right)
}

/** What of the model's window the request took: input that was new, read from a cache or written to one. */
export function contextTokens(usage: Usage): number {
  const { inputTokens, cacheReadTokens, cacheCreationTokens } = usage
  return saturatingSum(tokenCount(inputTokens), tokenCount(cacheReadTokens), tokenCount(cacheCreationTokens))
}

/** The request and the response together. Reasoning is a part of the output, so it does not count again. */
export function totalTokens(usage: Usage): number {
  return saturatingSum(contextTokens(usage), tokenCount(usage.outputTokens))
}

function saturatingSum(...counts: readonly (number | undefined)[]): number {
  let sum = 0
  for (const count of counts) sum = Math.min(sum + (count ?? 0), Number.MAX_SAFE_INTEGER)
  return sum
}
