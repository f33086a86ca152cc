/** A session whose model says how long its context is, and writes summaries when it is asked for one. */
import type { StreamEvent, Usage } from '@looprig/core'
import { textOf } from '@looprig/core'
import { InferenceError, type InferenceErrorCode, type InferenceRequest } from '@looprig/inference'
import type { ToolDefinition } from '@looprig/tools'
import { writeSummary } from '../../src/context/summary-document.ts'
import type { ContextPolicyOptions } from '../../src/index.ts'
import {
  callEvents,
  effectTool,
  openSession,
  type Setup,
  streamingClient,
  textEvents,
} from '../session/open-session.ts'

/** One answer of the model. */
export interface Answer {
  readonly text?: string
  /** Calls of the tool `work`, one per value. */
  readonly calls?: readonly string[]
  readonly usage?: Usage
  readonly error?: InferenceErrorCode
}

/** How the model answers when it is asked for a summary: with a text, with events of its own, or with an error. */
export type SummaryAnswer =
  | string
  | { readonly error: InferenceErrorCode }
  | ((signal: AbortSignal) => AsyncIterable<StreamEvent>)

export const summaryText = writeSummary({
  goal: 'Find X.',
  constraints: '',
  decisions: '',
  state: 'X is in a.ts.',
  open_items: '',
})

/** Says whether a request asks for a summary. */
export function asksForSummary({ messages }: InferenceRequest): boolean {
  return messages.length === 1 && textOf(messages[0]?.blocks ?? []).startsWith('<history>')
}

/** A client that plays `answers`, and `summaries` to requests of a summary; the last one of each again and again. */
export function contextClient(answers: readonly Answer[], summaries: readonly SummaryAnswer[] = [summaryText]) {
  let answered = 0
  let summarised = 0
  return streamingClient(async function* (_n, signal, request): AsyncGenerator<StreamEvent, void, undefined> {
    if (asksForSummary(request)) {
      const summary = summaries[Math.min(summarised, summaries.length - 1)] ?? summaryText
      summarised += 1
      yield* playSummary(summary, signal)
      return
    }
    const answer = answers[Math.min(answered, answers.length - 1)] ?? {}
    answered += 1
    yield* playAnswer(answer)
  })
}

async function* playSummary(summary: SummaryAnswer, signal: AbortSignal): AsyncGenerator<StreamEvent, void, undefined> {
  if (typeof summary === 'function') {
    yield* summary(signal)
    return
  }
  if (typeof summary === 'object') throw new InferenceError(summary.error, 'no')
  yield* textEvents(summary)
  yield { type: 'finish', reason: 'stop', usage: { inputTokens: 500, outputTokens: 50 } }
}

function* playAnswer({ text, calls = [], usage, error }: Answer): Generator<StreamEvent, void, undefined> {
  if (error !== undefined) throw new InferenceError(error, 'no')
  if (text !== undefined) yield* textEvents(text)
  for (const [index, value] of calls.entries()) {
    yield* callEvents(`c${index}`, 'work', JSON.stringify({ value }), index + 1)
  }
  const reason = calls.length > 0 ? 'tool_use' : 'stop'
  yield { type: 'finish', reason, ...(usage === undefined ? {} : { usage }) }
}

/** A text of about this many tokens by rule of thumb. */
export function long(what: string, tokens = 300): string {
  return `${what} ${'x'.repeat(tokens * 4)}`
}

/** The policy of the tests: a limit of 1,000 tokens with `model`. */
export const policy = {
  reservedOutputTokens: 400,
  safetyMarginTokens: 100,
  keepRecentSegments: 1,
  keepRecentTokens: 400,
  maxSummaryTokens: 300,
} satisfies ContextPolicyOptions

export const model = {
  provider: 'scripted',
  name: 'm',
  capabilities: { images: true },
  limits: { windowTokens: 1_500 },
}

/** Usage that says that the context has this many tokens. */
export function used(tokens: number): Usage {
  return { inputTokens: tokens - 10, outputTokens: 10 }
}

/** A tool that the answers call. */
export function workTool(run: (value: string) => void | Promise<void> = () => undefined): ToolDefinition {
  return effectTool('work', run)
}

export interface ContextSetup extends Omit<Setup, 'client' | 'responses' | 'loop'> {
  readonly answers?: readonly Answer[]
  readonly summaries?: readonly SummaryAnswer[]
  readonly context?: ContextPolicyOptions | undefined
  readonly model?: typeof model | Omit<typeof model, 'limits'>
}

/** Opens a session with the policy and the model of the tests, over a real loop and store. */
export async function openContextSession(setup: ContextSetup = {}) {
  const { answers = [{ text: 'so' }], summaries, context, ...rest } = setup
  const opened = await openSession({
    ...rest,
    client: contextClient(answers, summaries),
    loop: { context: { ...policy, ...context }, model: setup.model ?? model },
  })
  /** Runs one turn to its result. */
  const turn = (text: string) => opened.session.submit(text).result()
  return { ...opened, turn }
}
