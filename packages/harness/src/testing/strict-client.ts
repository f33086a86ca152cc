import { createInferenceStream, type InferenceClient, InferenceError, type InferenceRequest } from '@looprig/inference'
import { transcriptFault } from './transcript-fault.ts'

/**
 * Wraps a client and refuses what a provider would refuse: the request then fails with `InferenceError`
 * `invalid_request`, before the wrapped client sees it. Put it in front of a scripted client, which takes anything.
 *
 * It wants a transcript that begins with a user message and ends with a user message or tool results; after every
 * assistant message one result per call, in call order, and no other; no message and no text that is empty; no two
 * calls of one message with one id; no assistant message that says and asks nothing, or that follows another; tools
 * with names that differ. Thinking without a seal is let through: codecs leave it out.
 */
export function strictClient(client: InferenceClient): InferenceClient {
  return {
    stream: (request, options) => {
      const refused = refusal(request)
      return refused === undefined ? client.stream(request, options) : failingStream(refused, options?.signal)
    },
    invoke: async (request, options) => {
      const refused = refusal(request)
      if (refused !== undefined) throw refused
      return client.invoke(request, options)
    },
  }
}

function refusal({ messages, tools = [] }: InferenceRequest): InferenceError | undefined {
  const names = new Set(tools.map((tool) => tool.name))
  const fault = names.size === tools.length ? transcriptFault(messages) : 'tools: two tools have one name'
  return fault === undefined ? undefined : new InferenceError('invalid_request', fault)
}

function failingStream(error: InferenceError, signal: AbortSignal | undefined) {
  // biome-ignore lint/correctness/useYield: a stream that fails before its first event
  return createInferenceStream(async function* () {
    throw error
  }, signal)
}
