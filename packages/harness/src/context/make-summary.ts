import type { Usage, UserMessage } from '@looprig/core'
import type { InferenceClient, InferenceRequest, Model } from '@looprig/inference'
import type { Clock } from '../clock/clock.ts'
import { askSummary } from './ask-summary.ts'
import type { CompactionCause } from './compaction-result.ts'
import type { ContextPolicy } from './context-policy.ts'
import { countTokens } from './count-tokens.ts'
import { type Cut, messagesOf } from './cut.ts'
import { roughTokens } from './rough-size.ts'
import { summaryMessage, summaryPrompt, summarySystem } from './summary-prompt.ts'

/** What a summary is made of and with. */
export interface SummaryTask {
  readonly policy: ContextPolicy
  /** Absent when the window is not known. */
  readonly limitTokens: number | undefined
  readonly cut: Cut
  readonly client: InferenceClient
  readonly model: Model
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The request that the loop would send without a compaction. */
  next(): InferenceRequest
}

/** What became of it. `usage` is absent when no model was asked. */
export type MadeSummary =
  | { readonly outcome: 'made'; readonly summary: UserMessage; readonly usage: Usage }
  | { readonly outcome: 'failed'; readonly cause: CompactionCause | 'interrupted'; readonly usage?: Usage }

/** The longest text of a history that is sent for a summary. */
const maxPromptBytes = 2 * 1024 * 1024

/** How much text a token stands for at least, as far as a prompt is made to fit a window. */
const bytesPerToken = 3

/** The size of a summary that says nothing. */
const emptySummaryTokens = roughTokens([
  summaryMessage({ goal: '', constraints: '', decisions: '', state: '', open_items: '' }),
])

/** Says whether a summary could be shorter than what it replaces. */
export function isWorthSummary({ head }: Cut): boolean {
  return roughTokens(messagesOf(head)) > emptySummaryTokens
}

/** Makes a summary of the head, and sees to it that summary and tail have room. */
export async function makeSummary(task: SummaryTask): Promise<MadeSummary> {
  const { policy, limitTokens, cut, signal, clock } = task
  const { maxSummaryTokens } = policy
  if (limitTokens !== undefined) {
    const tail = await sizeOf(task, { ...task.next(), messages: messagesOf(cut.tail) })
    if (signal.aborted) return failed('interrupted')
    if (tail === 'failed') return failed('context_count_failed')
    if (tail + maxSummaryTokens >= limitTokens) return failed('retained_tail_too_large')
  }
  const asked = await askSummary(task.client, summaryRequest(task), {
    signal,
    clock,
    timeoutMs: policy.summaryTimeoutMs,
  })
  const { usage } = asked
  if (asked.outcome === 'failed') return { outcome: 'failed', cause: asked.cause, usage }
  const summary = summaryMessage(asked.document)
  const size = await sizeOf(task, { model: task.model, messages: [summary] })
  if (signal.aborted) return failed('interrupted')
  if (size === 'failed') return { outcome: 'failed', cause: 'context_count_failed', usage }
  const isShorter = roughTokens([summary]) < roughTokens(messagesOf(cut.head))
  if (size > maxSummaryTokens || !isShorter) return { outcome: 'failed', cause: 'summary_too_large', usage }
  return { outcome: 'made', summary, usage }
}

/** What a request counts: exactly with a counter, else its messages by rule of thumb. */
function sizeOf({ policy, signal, clock }: SummaryTask, request: InferenceRequest) {
  return policy.counter === undefined ? roughTokens(request.messages) : countTokens(policy, request, { signal, clock })
}

function summaryRequest({ policy, limitTokens, cut, model }: SummaryTask): InferenceRequest {
  const maxBytes = Math.min(maxPromptBytes, (limitTokens ?? maxPromptBytes) * bytesPerToken)
  const maxOutputTokens = Math.min(
    policy.reservedOutputTokens,
    model.limits?.maxOutputTokens ?? policy.reservedOutputTokens,
  )
  return {
    model,
    system: summarySystem,
    messages: [summaryPrompt(cut.head, maxBytes)],
    sampling: { maxOutputTokens },
  }
}

function failed(cause: CompactionCause | 'interrupted'): MadeSummary {
  return { outcome: 'failed', cause }
}
