import {
  Accumulator,
  type AIMessage,
  aiMessageSchema,
  type Block,
  ContentError,
  deepFreeze,
  textBlock,
} from '@looprig/core'
import { InferenceError, type InferenceRequest, type InferenceResponse } from '@looprig/inference'
import type { ErrorInfo } from '../error/errors.ts'
import { isA } from '../error/is-a.ts'
import type { StepScope } from '../event/step-event.ts'
import type { TurnHost } from './turn-host.ts'
import { untilAborted } from './until-aborted.ts'

/** What a model request came to. */
export type Streamed =
  | { readonly outcome: 'response'; readonly response: InferenceResponse }
  /** It broke off; `kept` is what may stay of it, when there was text. */
  | { readonly outcome: 'interrupted'; readonly kept: AIMessage | undefined }
  | { readonly outcome: 'failed'; readonly kept: AIMessage | undefined; readonly error: ErrorInfo }

/** The most text of one response: with every character escaped it still fits the journal twice. */
const maxResponseCharacters = 1024 * 1024

/**
 * Sends one request and passes its pieces on to whoever watches. A request that ends with what the model has said of its
 * answer gets the rest of it. Never throws for the model's sake.
 */
export async function streamStep(host: TurnHost, scope: StepScope, request: InferenceRequest): Promise<Streamed> {
  const last = request.messages.at(-1)
  const soFar = last?.role === 'assistant' ? last.blocks : undefined
  const said = soFar === undefined ? 0 : JSON.stringify(soFar).length
  const accumulator = new Accumulator({ maxCharacters: Math.max(1, maxResponseCharacters - said) })
  try {
    await untilAborted(drainStream(host, scope, request, accumulator, soFar?.length ?? 0), host.signal)
    const { message, toolCalls, finish } = accumulator.result()
    if (finish === undefined) throw new InferenceError('truncated', 'the response ended before its end marker')
    const response = { message: storedMessage(message), toolCalls, finishReason: finish.reason }
    return { outcome: 'response', response }
  } catch (error) {
    const partial = partialOf(accumulator)
    if (host.signal.aborted) return { outcome: 'interrupted', kept: keptOf(partial, 'interrupted') }
    return { outcome: 'failed', kept: keptOf(partial, 'failed'), error: describeError(error) }
  }
}

/** The hot path: a delta is one literal, written out, since a spread costs more than all the rest. */
async function drainStream(
  host: TurnHost,
  scope: StepScope,
  request: InferenceRequest,
  accumulator: Accumulator,
  firstIndex: number,
): Promise<void> {
  const { loopId, turnId, stepId } = scope
  const { client } = host.loop
  const calls = new Map<number, { readonly toolUseId: string; readonly name: string }>()
  for await (const event of client.stream(request, { signal: host.signal })) {
    // a client that goes on after the abort is not listened to
    if (host.signal.aborted) return
    accumulator.add(event)
    switch (event.type) {
      case 'text_delta':
        host.emit({
          type: 'TokenDelta',
          loopId,
          turnId,
          stepId,
          blockIndex: firstIndex + event.blockIndex,
          text: event.text,
        })
        break
      case 'thinking_delta':
        host.emit({
          type: 'ThinkingDelta',
          loopId,
          turnId,
          stepId,
          blockIndex: firstIndex + event.blockIndex,
          text: event.text,
        })
        break
      case 'tool_input_delta': {
        const { toolUseId = '', name = '' } = calls.get(event.blockIndex) ?? {}
        const blockIndex = firstIndex + event.blockIndex
        host.emit({ type: 'ToolInputDelta', loopId, turnId, stepId, blockIndex, toolUseId, name, text: event.text })
        break
      }
      case 'block_start':
        if (event.block.type === 'tool_use') {
          calls.set(event.blockIndex, { toolUseId: event.block.id, name: event.block.name })
        }
        break
      case 'retrying': {
        const { attempt, delayMs, code } = event
        host.emit({ type: 'Retrying', ...scope, attempt, delayMs, code })
        break
      }
      default:
        break
    }
  }
}

/**
 * The message as history keeps it: without empty text and thinking that says nothing, and with a name for every call,
 * since providers refuse a history with a call that has none.
 */
function storedMessage(message: AIMessage): AIMessage {
  const stored = { ...message, blocks: message.blocks.filter((block) => !isEmpty(block)).map(named) }
  // a client of a third party may send anything: what could not be read back would make the whole journal unreadable
  if (!aiMessageSchema.safeParse(stored).success) throw new InferenceError('malformed', 'the response is not valid')
  return deepFreeze(stored)
}

function named(block: Block): Block {
  return block.type === 'tool_use' && block.name.trim() === '' ? { ...block, name: 'unnamed' } : block
}

function isEmpty(block: Block): boolean {
  if (block.type === 'text') return block.text === ''
  return block.type === 'thinking' && block.text === '' && block.seal === undefined && block.state === undefined
}

/** What had arrived; nothing where a client sent what is no part of a message. */
function partialOf(accumulator: Accumulator): AIMessage {
  try {
    return accumulator.result().message
  } catch {
    return { role: 'assistant', blocks: [] }
  }
}

const interruptedNotice = '\n\n[The answer was interrupted here.]'
const failedNotice = '\n\n[The answer was cut off here by an error and may be incomplete.]'

/**
 * What may stay of a broken response that had text: text, refusals, sealed thinking; never a call. Then comes what says
 * how it broke off: a notice, or the end of the same answer that says so itself.
 */
export function keptOf(
  message: AIMessage,
  broken: 'interrupted' | 'failed' | undefined,
  end: Pick<AIMessage, 'blocks'> = { blocks: [textBlock(broken === 'interrupted' ? interruptedNotice : failedNotice)] },
): AIMessage | undefined {
  const kept = message.blocks.filter((block) => {
    if (block.type === 'text') return block.text !== ''
    return block.type === 'refusal' || (block.type === 'thinking' && block.seal !== undefined)
  })
  const isWorthIt = kept.some((block) => block.type === 'text' || block.type === 'refusal')
  if (!isWorthIt && broken !== undefined) return undefined
  const salvaged: AIMessage = { role: 'assistant', blocks: [...kept, ...end.blocks] }
  return aiMessageSchema.safeParse(salvaged).success ? deepFreeze(salvaged) : undefined
}

function describeError(error: unknown): ErrorInfo {
  if (isA(error, InferenceError)) return { code: error.code, message: error.message }
  if (isA(error, ContentError)) return { code: 'malformed', message: `the response is not valid: ${error.message}` }
  return { code: 'internal', message: 'the model client failed in an unexpected way' }
}
