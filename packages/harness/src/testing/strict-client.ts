import type { Block, Message } from '@looprig/core'
import { createInferenceStream, type InferenceClient, InferenceError, type InferenceRequest } from '@looprig/inference'
import { transcriptFault } from './transcript-fault.ts'

/** What else a strict client refuses. */
export interface StrictOptions {
  /**
   * Also thinking without a seal or state, as a provider does that signs its own. Default false: codecs leave it out.
   */
  readonly refuseUnsignedThinking?: boolean | undefined
  /** Takes a request that ends with an answer which the provider paused, as Anthropic does. Default false. */
  readonly takesPausedAnswer?: boolean | undefined
}

/**
 * Wraps a client and refuses what a provider would refuse: the request then fails with `InferenceError`
 * `invalid_request`, before the wrapped client sees it. Put it in front of a scripted client, which takes anything.
 *
 * It wants a transcript that begins with a user message and ends with a user message or tool results; after every
 * assistant message one result per call, in call order, and no other; no message and no text that is empty; no two
 * calls of one message with one id; no assistant message that says and asks nothing, or that follows another; tools
 * with names that differ.
 */
export function strictClient(client: InferenceClient, options: StrictOptions = {}): InferenceClient {
  return {
    stream: (request, inference) => {
      const refused = refusal(request, options)
      return refused === undefined ? client.stream(request, inference) : failingStream(refused, inference?.signal)
    },
    invoke: async (request, inference) => {
      const refused = refusal(request, options)
      if (refused !== undefined) throw refused
      return client.invoke(request, inference)
    },
  }
}

function refusal({ messages, tools = [] }: InferenceRequest, options: StrictOptions): InferenceError | undefined {
  const names = new Set(tools.map((tool) => tool.name))
  const unsigned = options.refuseUnsignedThinking === true ? unsignedThinking(messages) : undefined
  const transcript = transcriptFault(messages, options.takesPausedAnswer)
  const fault = names.size === tools.length ? (transcript ?? unsigned) : 'tools: two tools have one name'
  return fault === undefined ? undefined : new InferenceError('invalid_request', fault)
}

function unsignedThinking(messages: readonly Message[]): string | undefined {
  const isUnsigned = (block: Block) =>
    block.type === 'thinking' && block.seal === undefined && block.state === undefined
  const index = messages.findIndex(({ blocks }) => blocks.some(isUnsigned))
  return index < 0 ? undefined : `messages[${index}]: thinking without a seal`
}

function failingStream(error: InferenceError, signal: AbortSignal | undefined) {
  // biome-ignore lint/correctness/useYield: a stream that fails before its first event
  return createInferenceStream(async function* () {
    throw error
  }, signal)
}
