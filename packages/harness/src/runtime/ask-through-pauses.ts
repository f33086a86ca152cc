import { type AIMessage, addUsage, deepFreeze, type Message } from '@looprig/core'
import type { InferenceResponse } from '@looprig/inference'
import { askWithinWindow } from '../context/ask-within-window.ts'
import type { ErrorInfo } from '../error/errors.ts'
import type { StepScope } from '../event/step-event.ts'
import { budgetFault } from '../loop/budget.ts'
import { keptOf, type Streamed } from './stream-step.ts'
import type { TurnHost } from './turn-host.ts'
import { addResponse, type TurnProgress } from './turn-progress.ts'
import type { TurnRequests } from './turn-requests.ts'

/**
 * Sends the next request of a turn, and again with the answer so far each time that the provider paused: it goes on when
 * the message is sent back as it is. What comes is one answer, with the blocks and the usage of all its parts; nothing of
 * it is durable before it is whole. A pause counts as a round of the turn, and the budget holds between the parts.
 */
export async function askThroughPauses(
  host: TurnHost,
  scope: StepScope,
  requests: TurnRequests,
  progress: TurnProgress,
): Promise<Streamed> {
  let streamed = await askWithinWindow(host, scope, requests)
  let soFar: AIMessage | undefined
  for (let rounds = progress.iterations + 1; isPaused(streamed); rounds += 1) {
    soFar = joined(soFar, streamed.response.message)
    // nothing could be sent back
    if (soFar.blocks.length === 0) return streamed
    const used = addResponse(progress, soFar, 0)
    const fault = rounds >= host.loop.limits.iterations ? tooManyRounds(host) : budgetFault(host.loop, used.usage)
    if (fault !== undefined) return { outcome: 'failed', kept: keptOf(soFar, 'failed'), error: fault }
    streamed = await askWithinWindow(host, scope, goingOn(requests, soFar))
  }
  return soFar === undefined ? streamed : whole(soFar, streamed)
}

/** Only a pause without calls is one: calls are answered first. */
function isPaused(streamed: Streamed): streamed is { outcome: 'response'; response: InferenceResponse } {
  return (
    streamed.outcome === 'response' &&
    streamed.response.finishReason === 'pause' &&
    streamed.response.toolCalls.length === 0
  )
}

/** The same requests, with what the model has said of its answer behind them. */
function goingOn({ next, judge }: TurnRequests, soFar: AIMessage): TurnRequests {
  return {
    judge,
    next: () => {
      const request = next()
      const messages: readonly Message[] = Object.freeze([...request.messages, soFar])
      return { ...request, messages }
    },
  }
}

/** Two parts of one answer. */
function joined(first: AIMessage | undefined, next: AIMessage): AIMessage {
  if (first === undefined) return next
  const usage = addUsage(first.usage ?? {}, next.usage ?? {})
  return deepFreeze({ ...next, blocks: [...first.blocks, ...next.blocks], usage })
}

function whole(soFar: AIMessage, last: Streamed): Streamed {
  if (last.outcome === 'response') {
    return { ...last, response: { ...last.response, message: joined(soFar, last.response.message) } }
  }
  const { kept } = last
  const both = kept === undefined ? keptOf(soFar, last.outcome) : keptOf(soFar, undefined, kept)
  return { ...last, kept: both }
}

function tooManyRounds({ loop }: TurnHost): ErrorInfo {
  return { code: 'tool_limit', message: `more than ${loop.limits.iterations} rounds in one turn` }
}
