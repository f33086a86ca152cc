import type { InferenceRequest, InferenceResponse } from '@looprig/inference'
import type { ErrorInfo } from '../error/errors.ts'
import { chooseStrategy } from '../output/choose-strategy.ts'
import type { OutputVerdict } from '../output/output-strategy.ts'
import { ContextTail } from '../runtime-context/context-tail.ts'
import { readRuntimeContext } from '../runtime-context/runtime-context.ts'
import type { TurnHost } from './turn-host.ts'

/** The requests of one turn: the transcript, and what its loop adds to it. */
export interface TurnRequests {
  /** The request of the next step. */
  next(): InferenceRequest
  /** What a response means for a loop that wants an output; absent for one that takes any answer. */
  readonly judge: ((response: InferenceResponse) => Promise<OutputVerdict>) | undefined
}

/** Makes ready, once per turn, what its requests share. Returns why the turn fails before its model is asked. */
export async function openRequests(host: TurnHost): Promise<TurnRequests | { readonly error: ErrorInfo }> {
  const { loop, toolSpecs, turnId, turnIndex, signal } = host
  const { model, system, output } = loop
  const { sessionId, loopId } = host.hooks.scope
  const hasTools = toolSpecs.length > 0
  const strategy = output && (await chooseStrategy(output, model, { sessionId, loopId }, hasTools))
  if (strategy !== undefined && 'error' in strategy) return strategy
  let tail: ContextTail | undefined
  if (loop.runtimeContext !== undefined) {
    const said = await readRuntimeContext(loop.runtimeContext, Object.freeze({ turnId, turnIndex, signal }))
    if ('error' in said) return said
    tail = new ContextTail(said.text)
  }
  return {
    next: () => {
      const messages = host.history()
      const request: InferenceRequest = {
        model,
        ...(system === '' ? {} : { system }),
        messages: tail === undefined ? messages : tail.append(messages),
        ...(toolSpecs.length === 0 ? {} : { tools: toolSpecs }),
      }
      return strategy === undefined ? request : strategy.shape(request)
    },
    judge: strategy && (async (response) => strategy.judge(response)),
  }
}
