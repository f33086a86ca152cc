import type { JsonObject, StreamEvent } from '@looprig/core'
import type { InferenceClient, InferenceOptions, InferenceStream } from '../client/client.ts'
import { createInferenceStream } from '../client/event-stream.ts'
import type { InferenceRequest } from '../client/request.ts'
import type { InferenceResponse } from '../client/response.ts'
import { InferenceError, type InferenceErrorCode } from '../failure/errors.ts'

/** One tool call of a scripted response: `rawInput` is sent as it is, `input` as JSON, neither as no arguments. */
export interface ScriptedToolCall {
  readonly id?: string | undefined
  readonly name: string
  readonly input?: JsonObject | undefined
  readonly rawInput?: string | undefined
}

/** One scripted response. Blocks come in the order thinking, text, tool calls. */
export interface ScriptedResponse {
  readonly text?: string | undefined
  readonly thinking?: string | undefined
  readonly toolCalls?: readonly ScriptedToolCall[] | undefined
  /** Fails the request: before anything else, or after the text. */
  readonly error?: { readonly code: InferenceErrorCode; readonly afterText?: boolean | undefined } | undefined
  /** Waited before the response. */
  readonly delayMs?: number | undefined
}

/** A client that plays a list of responses, one per request. */
export interface ScriptedClient extends InferenceClient {
  /** Every request so far, in order. */
  readonly requests: readonly InferenceRequest[]
  /** How many responses are left. */
  readonly remaining: number
}

/** How a scripted client waits. */
export interface ScriptedClientOptions {
  /** Waits for `delayMs`, or until the signal aborts. Default: a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/**
 * Makes a client without a model: each request takes the next response. A request past the last one fails with
 * `script_exhausted`; one whose signal is aborted takes none.
 */
export function scriptedClient(
  responses: readonly ScriptedResponse[],
  options: ScriptedClientOptions = {},
): ScriptedClient {
  const wait = options.wait ?? timer
  const requests: InferenceRequest[] = []
  let next = 0

  async function* play(request: InferenceRequest, signal: AbortSignal): AsyncGenerator<StreamEvent, void, undefined> {
    requests.push(request)
    const response = responses[next]
    if (response === undefined) throw new InferenceError('script_exhausted', 'the script has no further response')
    next += 1
    if (response.delayMs !== undefined) await wait(response.delayMs, signal)
    for (const event of responseEvents(response)) {
      signal.throwIfAborted()
      yield event
    }
  }

  const stream = (request: InferenceRequest, { signal }: InferenceOptions = {}): InferenceStream =>
    createInferenceStream((aborted) => play(request, aborted), signal)

  return {
    stream,
    invoke: (request, invokeOptions): Promise<InferenceResponse> => stream(request, invokeOptions).result(),
    requests,
    get remaining() {
      return responses.length - next
    },
  }
}

function* responseEvents(response: ScriptedResponse): Generator<StreamEvent, void, undefined> {
  const { text, thinking, toolCalls = [], error } = response
  if (error !== undefined && error.afterText !== true) throw scriptedError(error.code)
  let blockIndex = 0
  if (thinking !== undefined) {
    yield { type: 'block_start', blockIndex, block: { type: 'thinking' } }
    for (const piece of pieces(thinking)) yield { type: 'thinking_delta', blockIndex, text: piece }
    yield { type: 'block_end', blockIndex: blockIndex++ }
  }
  if (text !== undefined) {
    yield { type: 'block_start', blockIndex, block: { type: 'text' } }
    for (const piece of pieces(text)) yield { type: 'text_delta', blockIndex, text: piece }
    yield { type: 'block_end', blockIndex: blockIndex++ }
  }
  if (error !== undefined) throw scriptedError(error.code)
  for (const [index, call] of toolCalls.entries()) {
    yield {
      type: 'block_start',
      blockIndex,
      block: { type: 'tool_use', id: call.id ?? `call-${index + 1}`, name: call.name },
    }
    const raw = call.rawInput ?? JSON.stringify(call.input ?? {})
    for (const piece of pieces(raw)) yield { type: 'tool_input_delta', blockIndex, text: piece }
    yield { type: 'block_end', blockIndex: blockIndex++ }
  }
  const characters = (text?.length ?? 0) + (thinking?.length ?? 0)
  yield {
    type: 'finish',
    reason: toolCalls.length > 0 ? 'tool_use' : 'stop',
    usage: { inputTokens: 1, outputTokens: Math.ceil(characters / 4) },
    model: 'scripted',
  }
}

function scriptedError(code: InferenceErrorCode): InferenceError {
  return new InferenceError(code, `the script fails this request with ${code}`)
}

/** Cuts a text into a few deltas, never inside a character. */
function* pieces(text: string): Generator<string, void, undefined> {
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / 4))
  for (let at = 0; at < characters.length; at += size) yield characters.slice(at, at + size).join('')
}

function timer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(handle)
      reject(signal.reason)
    }
    const handle = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
