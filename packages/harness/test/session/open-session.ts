/** A session over real parts for behaviour tests: memory store, scripted model, real tools. */
import type { AIMessage, Message, StreamEvent, ToolResultMessage } from '@looprig/core'
import { textOf } from '@looprig/core'
import { createInferenceStream, type InferenceClient, type InferenceRequest } from '@looprig/inference'
import { type ScriptedResponse, type ScriptedToolCall, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { type AccessSource, defineTool, type Requirement, type ToolDefinition, textResult } from '@looprig/tools'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  type Clock,
  defineLoop,
  defineRig,
  type EventType,
  type Gate,
  type Hooks,
  headlessGate,
  type LoopOptions,
} from '../../src/index.ts'
import { countingIds, recordSession, strictClient } from '../../src/testing.ts'

/** What a test sets; the rest is a session without tools whose gate allows everything. */
export interface Setup {
  readonly responses?: readonly ScriptedResponse[]
  /** Instead of the script. */
  readonly client?: InferenceClient
  readonly tools?: readonly ToolDefinition[]
  /** `null`: none. */
  readonly gate?: Gate | null
  readonly limits?: LoopOptions['limits']
  readonly drainTimeoutMs?: number
  readonly clock?: Clock
  readonly store?: Store
  /** Whatever else the loop is made of. */
  readonly loop?: Partial<LoopOptions>
  readonly hooks?: Hooks
}

export const model = { provider: 'scripted', name: 'm', capabilities: { images: true } }

/** Opens a session that is shut down after the test. Every request must be one that a provider takes. */
export async function openSession(setup: Setup = {}) {
  const { store = memoryStore(), clock, tools, limits, drainTimeoutMs } = setup
  const requests: InferenceRequest[] = []
  const client = recordRequests(setup.client ?? scriptedClient(setup.responses ?? []), requests)
  const gate = setup.gate === null ? undefined : (setup.gate ?? headlessGate({ access: [allowing('allow')] }))
  const loop = defineLoop({
    name: 'main',
    client: strictClient(client),
    model,
    tools,
    gate,
    limits,
    drainTimeoutMs,
    ...setup.loop,
  })
  const rig = defineRig({ loops: [loop], store, clock, ids: countingIds(), hooks: setup.hooks })
  const session = await rig.newSession()
  const recording = recordSession(session)
  onTestFinished(() => session.shutdown())
  /** The types of the events so far, those of `left` left out. */
  const types = async (...left: readonly EventType[]) => {
    await delivered()
    return recording.deliveries.map(({ event }) => event.type).filter((type) => !left.includes(type))
  }
  return { session, rig, store, requests, recording, types }
}

/** Resolves when what was delivered so far has reached the recording. */
export function delivered(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function recordRequests(client: InferenceClient, requests: InferenceRequest[]): InferenceClient {
  return {
    stream: (request, options) => {
      requests.push(request)
      return client.stream(request, options)
    },
    invoke: (request, options) => client.invoke(request, options),
  }
}

/** The kind of access that the effectful test tools ask for. */
export const kind = 'test.effect'

/** A source that says the same of everything, or what `said` makes of it. */
export function allowing(said: ReturnType<AccessSource['accessFor']> | AccessSource['accessFor']): AccessSource {
  return { kinds: [kind], accessFor: typeof said === 'function' ? said : () => said }
}

/** One requirement of the test kind. */
export function requirement(match: string): Requirement {
  return { kind, scope: match, match, description: `touch ${match}` }
}

/** An effectful tool of one text, `value`; what it did is what `run` did. */
export function effectTool(
  name: string,
  run: (value: string, signal: AbortSignal) => void | Promise<void>,
  options: { readonly replaySafe?: boolean; readonly sequential?: boolean; readonly target?: string } = {},
): ToolDefinition {
  const { replaySafe, sequential, target } = options
  return defineTool({
    name,
    description: 'Has an effect.',
    replaySafe,
    sequential,
    inputSchema: z.strictObject({ value: z.string().default('x') }),
    prepare: ({ value }) => ({
      summary: `${name} ${value}`,
      artifact: { value },
      requirements: [requirement(`${name}:${value}`)],
    }),
    run: async ({ value }, { signal }) => {
      await run(value, signal)
      return textResult(`${name} did ${value}`)
    },
    ...(target === undefined ? {} : { writeTarget: () => target }),
  })
}

/** A client whose responses are written event by event; `n` counts requests from 1. */
export function streamingClient(
  respond: (n: number, signal: AbortSignal, request: InferenceRequest) => AsyncIterable<StreamEvent>,
): InferenceClient {
  let n = 0
  const stream: InferenceClient['stream'] = (request, options) => {
    n += 1
    const number = n
    return createInferenceStream((signal) => respond(number, signal, request), options?.signal)
  }
  return { stream, invoke: (request, options) => stream(request, options).result() }
}

/** The events of one whole text. */
export function* textEvents(text: string, blockIndex = 0): Generator<StreamEvent, void, undefined> {
  yield { type: 'block_start', blockIndex, block: { type: 'text' } }
  yield { type: 'text_delta', blockIndex, text }
  yield { type: 'block_end', blockIndex }
}

/** The events of one call. */
export function* callEvents(id: string, name: string, args: string, blockIndex = 0) {
  yield { type: 'block_start', blockIndex, block: { type: 'tool_use', id, name } } as const
  yield { type: 'tool_input_delta', blockIndex, text: args } as const
  yield { type: 'block_end', blockIndex } as const
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A response of calls. */
export function calling(...toolCalls: readonly ScriptedToolCall[]): ScriptedResponse {
  return { toolCalls }
}

/** The tool results of a transcript. */
export function resultsOf(history: readonly Message[]): readonly ToolResultMessage[] {
  return history.filter((message) => message.role === 'tool')
}

/** The texts of the tool results of a transcript. */
export function resultTexts(history: readonly Message[]): readonly string[] {
  return resultsOf(history).map((message) => textOf(message.blocks))
}

/** The model's messages of a transcript. */
export function answersOf(history: readonly Message[]): readonly AIMessage[] {
  return history.filter((message) => message.role === 'assistant')
}
