import { assertNever, byteLength, headWithin, type JsonObject, type LoopId } from '@looprig/core'
import { errorResult, type ToolResult, textResult } from '@looprig/tools'
import type { TurnResult } from '../session/submission.ts'
import type { AgentToolName } from './agent-tool-names.ts'
import { fitJson, type JsonRoom, journalSize } from './fit-json.ts'

/** An agent as its parent knows it. */
export interface AgentIdentity {
  readonly agentId: LoopId
  readonly name: string
}

/**
 * What an agent does. `working`: a turn of it runs, waits for a person or is about to begin. `unavailable`: the parent
 * may not use agents of this type any more.
 */
export type AgentState = 'working' | 'idle' | 'unavailable'

/** One agent of a list. */
export interface AgentRow extends AgentIdentity {
  readonly type: string
  readonly state: AgentState
  /** Requests that wait for it. */
  readonly queued: number
  readonly mode?: string | undefined
}

/** The most bytes of a result's JSON. */
const maxAnswerBytes = 256 * 1024

/** All results of one step together stay below this, so that its record always fits the journal. */
const maxStepBytes = 6 * 1024 * 1024

/** The room of one result in a step of `calls` calls; `resultBytes` is the loop's own limit. */
export function answerRoom(calls: number, resultBytes: number = maxStepBytes): JsonRoom {
  const journalBytes = Math.max(256, Math.min(resultBytes, Math.floor(maxStepBytes / Math.max(1, calls))))
  return { bytes: maxAnswerBytes, journalBytes }
}

const maxFailureBytes = 1_024

/** What gives way when there is little room. */
const shrinking = ['response', 'name']
const maxListed = 256

/** The result of a call that waited for the agent's turn. */
export function answerResult(
  { agentId, name }: AgentIdentity,
  answer: TurnResult,
  state: AgentState,
  room: JsonRoom,
): ToolResult {
  if (answer.status !== 'done') return errorResult(failureCode(answer), failureText(answer))
  const body = { agent_id: agentId, name, state, response_status: 'completed', response: answerText(answer) }
  return textResult(fitJson(body, shrinking, room))
}

/** The result of a call that does not wait for the answer, or not any more: the agent has the request. */
export function deliveredResult(
  { agentId, name }: AgentIdentity,
  state: AgentState,
  delivery: 'accepted' | 'accepted_pending' | undefined,
  room: JsonRoom,
): ToolResult {
  const status = delivery === undefined ? {} : { delivery_status: delivery }
  return textResult(fitJson({ agent_id: agentId, name, state, ...status }, shrinking, room))
}

/** The result of a list: the agents that were started last, when there is no room for all. */
export function listResult(rows: readonly AgentRow[], room: JsonRoom): ToolResult {
  const shown: JsonObject[] = []
  // what stands around the agents, its quotes escaped
  let { bytes, journalBytes } = { bytes: room.bytes - 40, journalBytes: room.journalBytes - 40 }
  for (const row of rows.toReversed()) {
    const agent = listedAgent(row)
    const json = JSON.stringify(agent)
    bytes -= byteLength(json) + 1
    journalBytes -= journalSize(json) + 1
    if (shown.length === maxListed || bytes < 0 || journalBytes < 0) break
    shown.unshift(agent)
  }
  return textResult(JSON.stringify({ agents: shown, truncated: shown.length < rows.length }))
}

function listedAgent({ agentId, name, type, state, queued, mode }: AgentRow): JsonObject {
  const working = mode === undefined || mode === '' ? {} : { agent_mode: mode }
  return { agent_id: agentId, name, agent_type: type, state, queued_messages: queued, ...working }
}

/** The result of a stop. */
export function stoppedResult(agentId: LoopId, previous: AgentState, state: AgentState): ToolResult {
  return textResult(JSON.stringify({ agent_id: agentId, previous_state: previous, state }))
}

/** The result of a call that did nothing. */
export function refusedResult(tool: AgentToolName, code: string, reason: string): ToolResult {
  return errorResult(code, headWithin(`${tool} failed: ${reason}`, maxFailureBytes))
}

/** The result of a start whose time was up: the agent was stopped. */
export function timedOutResult(): ToolResult {
  return errorResult('agent_timed_out', 'agent timed out')
}

/** What a parent is told of an agent that worked in the background: the text of an input of its own. */
export function handBackText(
  { agentId, name }: AgentIdentity,
  answer: TurnResult,
  state: AgentState,
  correlationId: string,
): string {
  const isDone = answer.status === 'done'
  const body = {
    agent_id: agentId,
    name,
    state,
    response_status: isDone ? 'completed' : answer.status,
    correlation_id: correlationId,
    response: isDone ? answerText(answer) : failureText(answer),
  }
  return fitJson(body, shrinking, answerRoom(1))
}

/** The agent's last words: what it said and what it refused. */
function answerText({ message, text }: TurnResult): string {
  if (message === undefined) return text.toWellFormed()
  return message.blocks
    .flatMap((block) => (block.type === 'text' || block.type === 'refusal' ? [block.text] : []))
    .join('')
    .toWellFormed()
}

function failureCode({ status }: TurnResult): string {
  return status === 'failed' ? 'agent_failed' : 'agent_interrupted'
}

/** Why there is no answer, in words that a model may read. */
function failureText({ status, error }: TurnResult): string {
  switch (status) {
    case 'failed':
      return caused('agent failed', error)
    case 'rejected':
      return caused('agent failed: it did not take the request', error)
    case 'cancelled':
      return 'agent interrupted: the request was dropped before the agent began it'
    case 'interrupted':
    case 'waiting':
      return 'agent interrupted'
    case 'done':
      return ''
    default:
      return assertNever(status, 'turn status')
  }
}

function caused(what: string, error: TurnResult['error']): string {
  if (error === undefined) return what
  return headWithin(`${what}: ${error.code}: ${error.message}`.toWellFormed(), maxFailureBytes)
}
