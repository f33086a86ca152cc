/** A session whose loops start each other: scripted models, real tools, a real store. */
import { type Message, textOf } from '@looprig/core'
import type { InferenceClient, InferenceRequest } from '@looprig/inference'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { memoryStore } from '@looprig/store/memory'
import { onTestFinished } from 'vitest'
import {
  type Clock,
  defineLoop,
  defineRig,
  type IdSource,
  interactiveGate,
  type LoopOptions,
  type Rig,
  type RigOptions,
  type Session,
} from '../../src/index.ts'
import { countingIds, recordSession, strictClient } from '../../src/testing.ts'
import { allowing, delivered, model } from '../session/open-session.ts'

/** One loop of a test: what its model says, and how it is set up. */
export interface TestLoop extends Partial<Omit<LoopOptions, 'client' | 'model'>> {
  readonly says?: readonly ScriptedResponse[]
  /** Instead of the script. */
  readonly client?: InferenceClient
}

/** What a test sets. The first loop is `main` and starts the others, unless it says otherwise. */
export interface AgentSetup {
  readonly loops: Readonly<Record<string, TestLoop>>
  readonly rig?: Partial<RigOptions>
  readonly store?: Store
  readonly clock?: Clock
  readonly ids?: IdSource
}

/** Makes a rig, and keeps the requests of its models by the loop's name. */
export function agentRig({ loops, rig: options, store = memoryStore(), clock, ids }: AgentSetup) {
  const requests: Record<string, InferenceRequest[]> = {}
  const names = Object.keys(loops)
  const definitions = Object.entries(loops).map(
    ([name, { says = [], client = scriptedClient(says), ...rest }], index) => {
      const seen: InferenceRequest[] = []
      requests[name] = seen
      const delegates = index === 0 && names.length > 1 ? names.slice(1) : undefined
      const gate = interactiveGate({ access: [allowing(({ match }) => (match.includes('ask') ? 'ask' : 'allow'))] })
      return defineLoop({ name, client: strictClient(recorded(client, seen)), model, delegates, gate, ...rest })
    },
  )
  const rig = defineRig({ loops: definitions, store, clock, ids: ids ?? countingIds(), ...options })
  return { rig, store, requests }
}

/** Opens a session that is shut down after the test. */
export async function openAgents(setup: AgentSetup) {
  const made = agentRig(setup)
  return { ...made, ...(await follow(made.rig, await made.rig.newSession())) }
}

/** Records a session that is shut down after the test. */
export async function follow(_rig: Rig, session: Session) {
  const recording = recordSession(session)
  onTestFinished(() => session.shutdown().catch(() => undefined))
  /** The events so far as `loop:type`, those that nobody asked for left out. */
  const types = async (...wanted: readonly string[]) => {
    await delivered()
    const names = new Map<string, string>(session.loops.map(({ loopId, name }) => [loopId, name]))
    return recording.deliveries
      .filter(({ event }) => wanted.length === 0 || wanted.includes(event.type))
      .map(({ event }) => ('loopId' in event ? `${names.get(event.loopId ?? '') ?? '?'}:${event.type}` : event.type))
  }
  return { session, recording, types }
}

function recorded(client: InferenceClient, seen: InferenceRequest[]): InferenceClient {
  return {
    stream: (request, options) => {
      seen.push(request)
      return client.stream(request, options)
    },
    invoke: (request, options) => client.invoke(request, options),
  }
}

/** A response that starts agents, all with the same instructions. */
export function starts(type: string, more: object = {}, count = 1): ScriptedResponse {
  const input = { agent_type: type, instructions: `work as ${type}`, ...more }
  return { toolCalls: Array.from({ length: count }, (_, n) => ({ id: `s${n}`, name: 'StartAgent', input })) }
}

/** A response of one call. */
export function calls(name: string, input: object): ScriptedResponse {
  return { toolCalls: [{ id: `c-${name}`, name, input: input as never }] }
}

/** The tool results of a transcript: their text, read as JSON where it is. */
export function answers(history: readonly Message[]): readonly unknown[] {
  return history.flatMap((message) => (message.role === 'tool' ? [readJson(textOf(message.blocks))] : []))
}

/** A text as JSON, else as it is. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The agents of a session, the oldest first. */
export function agentIds(session: Session) {
  return session.loops.slice(1).map(({ loopId }) => loopId)
}

/** What users and machines said to a loop. */
export function heard(history: readonly Message[]): readonly unknown[] {
  return history.filter(({ role }) => role === 'user').map((message) => readJson(textOf(message.blocks)))
}
