import { type Accumulated, Accumulator, byteLength, textOf, type Usage, usageSchema } from '@looprig/core'
import type { InferenceClient, InferenceRequest } from '@looprig/inference'
import type { Clock } from '../clock/clock.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { parseSummary, type SummaryDocument } from './summary-document.ts'

/** What the request of a summary came to. */
export type AskedSummary =
  | { readonly outcome: 'written'; readonly document: SummaryDocument; readonly usage: Usage }
  | {
      readonly outcome: 'failed'
      readonly cause: 'execution_failed' | 'invalid_summary' | 'summary_too_large' | 'interrupted'
      /** What the response cost, as far as that was told before it was refused. */
      readonly usage: Usage
    }

/** The longest document. */
const maxTextBytes = 64 * 1024

/** The most text of the whole response: what the model thinks about it is not kept, and may be longer. */
const maxResponseCharacters = 512 * 1024

/**
 * Asks a model for a summary. It ends when the signal aborts, when the time is over and when the response is too long,
 * whatever the client does.
 */
export async function askSummary(
  client: InferenceClient,
  request: InferenceRequest,
  limits: { readonly signal: AbortSignal; readonly clock: Clock; readonly timeoutMs: number },
): Promise<AskedSummary> {
  const { signal, clock, timeoutMs } = limits
  const own = new AbortController()
  const stop = () => own.abort()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const cancelTimer = clock.setTimer(timeoutMs, stop)
  const reader = new SummaryReader()
  try {
    await untilAborted(drain(client, request, reader, own.signal), own.signal)
  } catch {
    reader.fail('execution_failed')
  } finally {
    cancelTimer()
    signal.removeEventListener('abort', stop)
    // a client that goes on is told to stop
    own.abort()
  }
  if (signal.aborted) return { outcome: 'failed', cause: 'interrupted', usage: {} }
  return reader.read()
}

async function drain(
  client: InferenceClient,
  request: InferenceRequest,
  reader: SummaryReader,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of client.stream(request, { signal })) {
    if (signal.aborted || !reader.take(event)) return
  }
}

type Failure = Extract<AskedSummary, { outcome: 'failed' }>['cause']

/** Folds the response and keeps its bounds. */
class SummaryReader {
  readonly #accumulator = new Accumulator({ maxCharacters: maxResponseCharacters })
  #characters = 0
  #failure: Failure | undefined

  /** Takes the next event; false when the rest does not matter any more. */
  take(event: Parameters<Accumulator['add']>[0]): boolean {
    if (event.type === 'text_delta') this.#characters += event.text.length
    if (this.#characters > maxTextBytes) {
      this.fail('summary_too_large')
      return false
    }
    this.#accumulator.add(event)
    return true
  }

  /** The first failure counts. */
  fail(cause: Failure): void {
    this.#failure ??= cause
  }

  /** What came; nothing where a client sent what is no part of a message. */
  #result(): Pick<Accumulated, 'message' | 'finish'> {
    try {
      return this.#accumulator.result()
    } catch {
      return { message: { role: 'assistant', blocks: [] }, finish: undefined }
    }
  }

  read(): AskedSummary {
    const { message, finish } = this.#result()
    // a client of a third party may count anything: what could not be read back is not recorded
    const usage = usageSchema.safeParse(message.usage).data ?? {}
    if (this.#failure !== undefined) return { outcome: 'failed', cause: this.#failure, usage }
    if (finish === undefined) return { outcome: 'failed', cause: 'execution_failed', usage }
    const isPlain = message.blocks.every(({ type }) => type === 'text' || type === 'thinking')
    const text = textOf(message.blocks)
    if (byteLength(text) > maxTextBytes) return { outcome: 'failed', cause: 'summary_too_large', usage }
    const document = isPlain ? parseSummary(text) : undefined
    return document === undefined
      ? { outcome: 'failed', cause: 'invalid_summary', usage }
      : { outcome: 'written', document, usage }
  }
}
